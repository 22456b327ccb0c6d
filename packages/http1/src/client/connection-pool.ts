import { connect, type Socket } from 'node:net';
import { type ExchangeHandler, type ExchangeRequest, BrokenResponse } from './exchange.ts';
import { RecentHeads } from './response-head.ts';
import {
  requestWriter,
  type RequestConstants,
  type RequestText,
  writeRequest,
  ResponseReader,
} from './messages.ts';

interface Waiting {
  readonly request: RequestText;
  readonly handler: ExchangeHandler;
}

const SWEEP_INTERVAL_MS = 1_000;

/** Settings of {@link ConnectionPool}. */
export interface ConnectionPoolOptions extends Omit<RequestConstants, 'host'> {
  /** `http://…` */
  readonly origin: string;
  /** More exchanges than that wait, in order. */
  readonly maxConnections: number;
}

/** The keep-alive connections to one origin over HTTP/1.1, without TLS. */
export class ConnectionPool implements ConnectionOwner {
  readonly heads: RecentHeads = new RecentHeads();
  readonly #target: ConnectionTarget;
  readonly #write: (request: ExchangeRequest) => RequestText;
  readonly #maxConnections: number;
  readonly #open = new Set<Connection>();
  /** The one that was used last is used next: those that no one needs grow old. */
  readonly #idle: Connection[] = [];
  readonly #waiting: Waiting[] = [];
  #sweep: NodeJS.Timeout | undefined;
  #onClosed: (() => void) | undefined;

  constructor({ origin, maxConnections, headers, timeoutHeader }: ConnectionPoolOptions) {
    const { host, hostname, port } = new URL(origin);
    this.#target = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) };
    this.#write = requestWriter({ host, headers, timeoutHeader });
    this.#maxConnections = maxConnections;
  }

  /** Sends a request; the handler is called with its outcome. Nothing is sent twice. */
  dispatch(request: ExchangeRequest, handler: ExchangeHandler): void {
    if (this.#onClosed) return handler.failed(new Error('The connections are being closed.'));
    let text: RequestText;
    try {
      text = this.#write(request);
    } catch (error) {
      return handler.failed(error as Error); // a MalformedRequest
    }
    const connection = this.#takeIdle() ?? this.#openOne();
    if (connection) connection.exchange(text, handler);
    else this.#waiting.push({ request: text, handler });
  }

  isFree(connection: Connection): void {
    const next = this.#waiting.shift();
    if (next) return connection.exchange(next.request, next.handler);
    if (this.#onClosed) return connection.destroy();
    this.#idle.push(connection);
    this.#sweep ??= this.#sweepLater();
  }

  isGone(connection: Connection): void {
    this.#open.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    if (this.#open.size === 0 && this.#waiting.length === 0) this.#onClosed?.();
    else if (this.#waiting.length > 0) this.#openForNext();
  }

  /** Waits for what is in flight, then closes the sockets. */
  async close(): Promise<void> {
    clearTimeout(this.#sweep);
    const closed = new Promise<void>((resolve) => (this.#onClosed = resolve));
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) idle.destroy();
    if (this.#open.size > 0) await closed;
  }

  #takeIdle(): Connection | undefined {
    const now = performance.now();
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      if (connection.isUsable(now)) return connection;
      connection.destroy();
    }
    return undefined;
  }

  #openOne(): Connection | undefined {
    if (this.#open.size >= this.#maxConnections) return undefined;
    const connection = new Connection(this.#target, this);
    this.#open.add(connection);
    return connection;
  }

  #openForNext(): void {
    const next = this.#waiting.shift();
    if (next) this.#openOne()?.exchange(next.request, next.handler);
  }

  /** Those that have been idle for too long are closed though no one asks for one. */
  #sweepLater(): NodeJS.Timeout {
    return setTimeout(() => {
      const now = performance.now();
      for (const connection of this.#idle.filter((idle) => !idle.isUsable(now))) connection.destroy();
      this.#sweep = this.#idle.length > 0 ? this.#sweepLater() : undefined;
    }, SWEEP_INTERVAL_MS).unref();
  }
}

/** Where a server listens. */
interface ConnectionTarget {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Called when a connection may be used again, and when it is no more. */
interface ConnectionOwner {
  /** Of all its connections. */
  readonly heads: RecentHeads;
  isFree(connection: Connection): void;
  isGone(connection: Connection): void;
}

const READ_BYTES = 65_536;
/** Where the server does not say how long it keeps idle connections. Node's own servers keep them for 5 s. */
const DEFAULT_IDLE_MS = 4_000;
/** So much earlier than the server, so that no request meets a socket that is being closed. */
const IDLE_MARGIN_MS = 1_000;
/** Sockets that a burst or an outage has left are closed soon, however long the server would keep them. */
const MAX_IDLE_MS = 10_000;

/** One socket, and at most one exchange on it at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  #handler: ExchangeHandler | undefined;
  #reader: ResponseReader | undefined;
  #isGone = false;
  /** When it must no longer be used, by `performance.now()`; until the first response, as if it had been idle from the start. */
  #expiresAt = performance.now() + DEFAULT_IDLE_MS;

  constructor({ host, port }: ConnectionTarget, owner: ConnectionOwner) {
    this.#owner = owner;
    const callback = (count: number, bytes: Uint8Array): boolean => {
      this.#read((bytes as Buffer).subarray(0, count)); // it is the one given here
      return true;
    };
    // Read into one piece of memory again and again: a stream would make a new one for each read.
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback };
    this.#socket = connect({ host, port, noDelay: true, onread });
    this.#socket.on('error', (error) => this.#lose(error));
    this.#socket.on('end', () => this.#end());
    this.#socket.on('close', () => this.#lose(new BrokenResponse('The connection was closed.')));
  }

  /** Whether it may still be used. */
  isUsable(now: number): boolean {
    return !this.#isGone && now < this.#expiresAt;
  }

  /** Sends a request. The connection must be free. */
  exchange(request: RequestText, handler: ExchangeHandler): void {
    this.#handler = handler;
    this.#reader = new ResponseReader(handler, this.#owner.heads);
    this.#socket.ref();
    if (handler.started(() => this.destroy())) writeRequest(this.#socket, request);
    else this.#release();
  }

  /** Closes the socket; the handler is called no more. */
  destroy(): void {
    this.#handler = undefined;
    this.#lose(new BrokenResponse('The connection was given up.'));
  }

  #read(bytes: Buffer): void {
    const reader = this.#reader;
    if (!reader || !this.#handler) return this.destroy(); // said unasked
    try {
      const end = reader.read(bytes);
      if (end !== -1 && this.#reader === reader) this.#complete(reader, end === bytes.length);
    } catch (error) {
      this.#lose(error instanceof Error ? error : new BrokenResponse(String(error)));
    }
  }

  /** @param isAll whether nothing came after the response */
  #complete({ head }: ResponseReader, isAll: boolean): void {
    const handler = this.#handler;
    if (!handler) return; // the handler's own callback aborted it
    this.#handler = undefined;
    const mayGoOn = isAll && head?.keepsAlive === true && this.#socket.writableLength === 0;
    this.#expiresAt = mayGoOn ? performance.now() + idleMs(head.idleMs) : 0;
    this.#release();
    handler.ended();
  }

  #release(): void {
    this.#handler = undefined;
    this.#reader = undefined;
    if (!this.isUsable(performance.now())) return this.destroy();
    this.#socket.unref(); // an idle connection keeps no process alive
    this.#owner.isFree(this);
  }

  /** The subgraph has ended its side: where the body has no other end, that is its end. */
  #end(): void {
    const { head } = this.#reader ?? {};
    const handler = this.#handler;
    if (head?.framing === 'until-close' && handler) {
      this.destroy();
      handler.ended();
    } else {
      this.#lose(new BrokenResponse('The connection was closed.'));
    }
  }

  #lose(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const handler = this.#handler;
    this.#handler = undefined;
    this.#reader = undefined;
    this.#socket.destroy();
    this.#owner.isGone(this);
    handler?.failed(error);
  }
}

function idleMs(announced: number | undefined): number {
  if (announced === undefined) return DEFAULT_IDLE_MS;
  return Math.min(announced, MAX_IDLE_MS) - IDLE_MARGIN_MS;
}
