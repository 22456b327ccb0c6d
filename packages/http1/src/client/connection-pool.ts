import { Connection, type ConnectionOwner, type ConnectionTarget } from './connection.ts';
import type { ExchangeHandler, ExchangeRequest } from './exchange.ts';
import { requestWriter, type RequestConstants, type RequestText } from './request-text.ts';
import { RecentHeads } from './response-reader.ts';

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
