import { ConnectionPool, type ExchangeHandler, type ExchangeRequest } from '@trellis/http1';
import { own } from '@trellis/runtime/own-property';
import { Agent } from 'undici';
import { REQUEST_HEADERS, TIMEOUT_HEADER } from '../../settings/header-names.ts';
import { fillIn } from '../../settings/fill-in.ts';
import {
  subgraphConnection,
  type SubgraphConnectionRules,
  type SubgraphConnectionSettings,
} from '../../settings/subgraph-connections.ts';
import { Http2Pool } from '../http2/http2-pool.ts';
import { NegotiatedPool } from './negotiated-pool.ts';
import { SecurePool } from './secure-pool.ts';
import { tlsOptions, type TlsOptions } from '../tls/tls-options.ts';

/** The connections to one origin. */
export interface OriginPool {
  /** Sends a request; the handler is called with its outcome. Nothing is sent twice. */
  dispatch(request: ExchangeRequest, handler: ExchangeHandler): void;
  /** Waits for what is in flight, then closes the sockets. */
  close(): Promise<void>;
}

/** Bounds of the connections to one origin. */
export interface ConnectionBounds {
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
}

/** Connections that are made by the same rules. */
export class RuledConnections {
  /** Differs for other rules. */
  readonly id: number;
  readonly tls: TlsOptions;
  /** Whether streams go over HTTP/2. */
  readonly isHttp2Only: boolean;
  readonly #rules: SubgraphConnectionRules;
  readonly #bounds: ConnectionBounds;
  readonly #pools = new Map<string, OriginPool>();
  readonly #streamPools = new Map<string, Http2Pool>();
  readonly #uploadPools = new Map<string, SecurePool>();
  #streamAgent: Agent | undefined;

  constructor(rules: SubgraphConnectionRules, bounds: ConnectionBounds, id: number) {
    this.id = id;
    this.tls = tlsOptions(rules.tls);
    this.isHttp2Only = rules.protocol === 'http2';
    this.#rules = rules;
    this.#bounds = bounds;
  }

  /** For requests. @param origin `http://…` or `https://…` */
  poolOf(origin: string): OriginPool {
    let pool = this.#pools.get(origin);
    if (!pool) this.#pools.set(origin, (pool = this.#openPool(origin)));
    return pool;
  }

  /** For bodies that are sent while they arrive: over HTTP/1.1, whatever else is spoken. */
  uploadPoolOf(origin: string): SecurePool {
    let pool = this.#uploadPools.get(origin);
    if (!pool)
      this.#uploadPools.set(origin, (pool = new SecurePool(origin, { ...this.#bounds, tls: this.tls })));
    return pool;
  }

  /** For streams over HTTP/2: they must not take the room of requests. */
  streamPoolOf(origin: string): Http2Pool {
    let pool = this.#streamPools.get(origin);
    if (!pool) this.#streamPools.set(origin, (pool = this.#openHttp2(origin)));
    return pool;
  }

  /** For streams over HTTP/1.1: each has a connection of its own. */
  streamAgent(): Agent {
    const connect = { ...this.tls, timeout: this.#bounds.connectTimeoutMs };
    return (this.#streamAgent ??= new Agent({ connect, pipelining: 1 }));
  }

  /** Waits for the requests in flight, then closes their sockets. Streams go on. */
  async retire(): Promise<void> {
    void this.#streamAgent?.close(); // once the last stream has ended
    for (const pool of this.#streamPools.values()) void pool.close();
    await this.#closePools();
  }

  /** Ends streams as well. */
  async close(): Promise<void> {
    void this.#streamAgent?.destroy();
    for (const pool of this.#streamPools.values()) pool.destroy();
    await this.#closePools();
  }

  async #closePools(): Promise<void> {
    const pools = [...this.#pools.values(), ...this.#uploadPools.values()];
    await Promise.all(pools.map((pool) => pool.close()));
  }

  #openPool(origin: string): OriginPool {
    const { protocol } = this.#rules;
    const { maxConnections } = this.#bounds;
    const secure = { ...this.#bounds, tls: this.tls };
    if (protocol === 'http2') return this.#openHttp2(origin);
    if (origin.startsWith('http:')) return openPlain(origin, maxConnections);
    return protocol === 'auto' ? new NegotiatedPool(origin, secure) : new SecurePool(origin, secure);
  }

  #openHttp2(origin: string): Http2Pool {
    return new Http2Pool(origin, { ...this.#bounds, tls: this.tls, offersHttp1: false });
  }
}

/** The connections to all subgraphs, by the rules that hold for each. Equal rules share connections, and outlive a reload. */
export class SubgraphConnections {
  readonly #bounds: ConnectionBounds;
  readonly #ruled = new Map<string, RuledConnections>();
  #forAll: RuledConnections;
  #special = new Map<string, RuledConnections>();
  #ids = 0;

  constructor(settings: SubgraphConnectionSettings, bounds: ConnectionBounds) {
    this.#bounds = bounds;
    this.#forAll = this.#compile(settings);
  }

  of(subgraph: string): RuledConnections {
    return this.#special.size === 0 ? this.#forAll : (this.#special.get(subgraph) ?? this.#forAll);
  }

  /** What follows is connected to by these rules. Requests in flight end over the connections that they have. */
  change(settings: SubgraphConnectionSettings): void {
    this.#forAll = this.#compile(settings);
    const used = new Set([this.#forAll, ...this.#special.values()]);
    for (const [key, connections] of this.#ruled) {
      if (used.has(connections)) continue;
      this.#ruled.delete(key);
      connections.retire().catch(() => undefined); // each request has its own outcome
    }
  }

  /** Waits for the requests in flight; streams end. */
  async close(): Promise<void> {
    await Promise.all([...this.#ruled.values()].map((connections) => connections.close()));
  }

  #compile({ subgraphs, protocol, tls }: SubgraphConnectionSettings): RuledConnections {
    const special = Object.keys(subgraphs).map((name) => {
      const rules = fillIn(subgraphConnection, { protocol, tls, ...own(subgraphs, name) });
      return [name, this.#of(rules)] as const;
    });
    this.#special = new Map(special);
    return this.#of({ protocol, tls });
  }

  #of(rules: SubgraphConnectionRules): RuledConnections {
    const key = JSON.stringify(rules); // made in one place, in one order
    const known = this.#ruled.get(key);
    if (known) return known;
    const connections = new RuledConnections(rules, this.#bounds, (this.#ids += 1));
    this.#ruled.set(key, connections);
    return connections;
  }
}

function openPlain(origin: string, maxConnections: number): ConnectionPool {
  return new ConnectionPool({
    origin,
    maxConnections,
    headers: REQUEST_HEADERS,
    timeoutHeader: TIMEOUT_HEADER,
  });
}
