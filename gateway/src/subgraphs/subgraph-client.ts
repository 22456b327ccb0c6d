import { ConnectionPool, type ExchangeHandler, type ExchangeRequest } from '@trellis/http1';
import { REQUEST_HEADERS, TIMEOUT_HEADER } from '../settings/header-names.ts';
import { SecurePool } from './secure-pool.ts';
import { SubgraphCall } from './subgraph-call.ts';
import { SubgraphFailure } from './subgraph-failure.ts';
import type { SubgraphClient, SubgraphRequest } from './subgraph-request.ts';

export type {
  SubgraphClient,
  SubgraphHeaders,
  SubgraphRequest,
  SubgraphResponse,
} from './subgraph-request.ts';

/** Settings of {@link createSubgraphClient}. */
export interface SubgraphClientOptions {
  /** From the call to the last byte of the response, milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined;
  /** The largest response, before and after decompression. @default 16 MiB */
  readonly maxResponseBytes?: number | undefined;
  /** Sockets to one origin; more calls wait for one. @default 256 */
  readonly maxConnections?: number | undefined;
}

/** The connections to one origin. */
interface Pool {
  dispatch(request: ExchangeRequest, handler: ExchangeHandler): void;
  close(): Promise<void>;
}

/**
 * Calls over HTTP/1.1 with keep-alive sockets, one pool for each origin. Redirects are never followed, and
 * nothing is sent twice.
 */
export function createSubgraphClient(options: SubgraphClientOptions = {}): SubgraphClient {
  const defaults = {
    timeoutMs: options.timeoutMs ?? 10_000,
    maxBytes: options.maxResponseBytes ?? 16 * 1024 * 1024,
  };
  const pools = new Map<string, Pool>();

  const poolOf = (origin: string): Pool => {
    let pool = pools.get(origin);
    if (!pool) {
      pool = openPool(origin, options.maxConnections ?? 256, defaults.timeoutMs);
      pools.set(origin, pool);
    }
    return pool;
  };

  return {
    send(request) {
      if (request.signal.aborted) return Promise.reject(request.signal.reason as Error);
      const target = targetOf(request);
      if (target instanceof SubgraphFailure) return Promise.reject(target);
      const { timeoutMs = defaults.timeoutMs, maxBytes = defaults.maxBytes } = request;
      const call = new SubgraphCall(request, { timeoutMs, maxBytes });
      const { headers, body } = request;
      poolOf(target.origin).dispatch({ path: target.path, headers, timeoutMs, body }, call);
      return call.response;
    },
    async close() {
      const closing = [...pools.values()].map((pool) => pool.close());
      pools.clear();
      await Promise.all(closing);
    },
  };
}

function openPool(origin: string, maxConnections: number, connectTimeoutMs: number): Pool {
  if (origin.startsWith('http:'))
    return new ConnectionPool({
      origin,
      maxConnections,
      headers: REQUEST_HEADERS,
      timeoutHeader: TIMEOUT_HEADER,
    });
  return new SecurePool(origin, maxConnections, connectTimeoutMs);
}

interface CallTarget {
  readonly origin: string;
  readonly path: string;
}

const targets = new Map<string, CallTarget>();

/** Parsed once for each address: there are as many as subgraphs. */
function targetOf({ url, subgraph }: SubgraphRequest): CallTarget | SubgraphFailure {
  let target = targets.get(url);
  if (target) return target;
  target = parseTarget(url);
  if (!target)
    return new SubgraphFailure(subgraph, 'unreachable', `The subgraph "${subgraph}" has no usable address.`);
  targets.set(url, target);
  return target;
}

function parseTarget(url: string): CallTarget | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') return undefined;
  return { origin: parsed.origin, path: `${parsed.pathname}${parsed.search}` };
}
