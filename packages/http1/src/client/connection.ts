import { connect, type Socket } from 'node:net';
import { BrokenResponse, type ExchangeHandler } from './exchange.ts';
import { writeRequest, type RequestText } from './request-text.ts';
import { ResponseReader, type RecentHeads } from './response-reader.ts';

/** Where a server listens. */
export interface ConnectionTarget {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Called when a connection may be used again, and when it is no more. */
export interface ConnectionOwner {
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
export class Connection {
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
