import { Server, type RequestListener, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import {
  readPlainRequest,
  type PlainRequest,
  type WholeResponse,
  writeResponse,
  writeInPieces,
} from './plain-messages.ts';
import type { PlainExchange, PlainResponder, HeldBytes, UnreadBytes } from './plain-responder.ts';

/** As many bytes as Node takes of one. */
const MAX_HEAD_BYTES = 16_384;

/**
 * An HTTP server that answers plain requests by itself. Every connection begins here, and goes over to Node's own server, with
 * all that has arrived and not been answered, as soon as it carries anything but plain requests: so there is one server that
 * knows all of HTTP, and requests that need none of that do not pay for it.
 */
export class PlainFirstServer<Exchange extends PlainExchange, Response extends WholeResponse>
  extends Server
  implements ConnectionServer<Exchange, Response>
{
  readonly responder: PlainResponder<Exchange, Response>;
  readonly #connections = new Set<PlainConnection<Exchange, Response>>();
  readonly #counted = new Set<Socket>();
  readonly #passOn: (socket: Socket) => void;
  #isClosing = false;

  constructor(
    options: ServerOptions,
    listener: RequestListener,
    responder: PlainResponder<Exchange, Response>,
  ) {
    super(options, listener);
    this.responder = responder;
    const [ofNode] = this.listeners('connection');
    if (!ofNode) throw new Error('The HTTP server listens for no connections.');
    this.removeListener('connection', ofNode as () => void);
    this.#passOn = ofNode.bind(this) as (socket: Socket) => void;
    this.on('connection', (socket: Socket) => this.#onConnection(socket));
  }

  /** From now on all that arrives is Node's: it knows how a connection is ended. */
  beginClosing(): void {
    this.#isClosing = true;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** A connection may come again, with a request that is read a second time. */
  #onConnection(socket: Socket): void {
    if (this.#counted.has(socket) || this.#count(socket))
      this.#connections.add(new PlainConnection(socket, this));
  }

  #count(socket: Socket): boolean {
    const place = this.responder.admit(socket);
    if (!place) return false;
    this.#counted.add(socket);
    socket.once('close', () => {
      this.#counted.delete(socket);
      place.leave();
    });
    return true;
  }

  /** Another request, of the largest size, with room for its head. */
  get maxEarlyBytes(): number {
    return MAX_HEAD_BYTES + this.responder.rules.maxBodyBytes;
  }

  override closeIdleConnections(): void {
    for (const connection of this.#connections) if (connection.isIdle) connection.destroy();
    super.closeIdleConnections();
  }

  override closeAllConnections(): void {
    for (const connection of this.#connections) connection.destroy();
    super.closeAllConnections();
  }

  read(bytes: Buffer): PlainRequest | undefined {
    return this.isClosing ? undefined : readPlainRequest(bytes, this.responder.rules);
  }

  handOver(connection: PlainConnection<Exchange, Response>, socket: Socket, bytes: Buffer): void {
    this.#connections.delete(connection);
    this.#passOn(socket);
    socket.emit('data', bytes);
  }

  closed(connection: PlainConnection<Exchange, Response>): void {
    this.#connections.delete(connection);
  }
}

/** A client may use a connection until the very end of the announced keep-alive time. */
const LATE_MS = 1_000;
/** What is stored of what arrives before a response: a few requests. Who sends more may ask again on another connection. */
const MAX_EARLY_BYTES = 65_536;
/** RFC 9110 §15.5.9. */
const TOO_LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** The server that a connection belongs to. */
interface ConnectionServer<Exchange extends PlainExchange, Response extends WholeResponse> {
  readonly responder: PlainResponder<Exchange, Response>;
  /** @returns nothing for what is no plain request, and while the server closes */
  read(bytes: Buffer): PlainRequest | undefined;
  /** Another server goes on with the connection, from these bytes on. */
  handOver(connection: PlainConnection<Exchange, Response>, socket: Socket, bytes: Buffer): void;
  closed(connection: PlainConnection<Exchange, Response>): void;
  /** Bytes that may arrive behind a request before its response: one that sends more ends its connection. */
  readonly maxEarlyBytes: number;
  /** Whether connections end with the next response. */
  readonly isClosing: boolean;
}

/**
 * A connection on which nothing but plain requests has arrived so far, one after the other's response. With the first bytes that
 * are anything else it is handed over, for good.
 */
class PlainConnection<Exchange extends PlainExchange, Response extends WholeResponse> {
  readonly #socket: Socket;
  readonly #server: ConnectionServer<Exchange, Response>;
  readonly #responder: PlainResponder<Exchange, Response>;
  readonly #keepAliveS: number;
  #exchange: Exchange | undefined;
  #unread: UnreadBytes | undefined;
  #hasAsked = false;
  /** What arrived before the response was written: more than one request at a time is not plain. */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #held: HeldBytes | undefined;
  /** Whether more has come early than is stored: then none of it is answered, and the connection ends with the response under way. */
  #isOverrun = false;

  constructor(socket: Socket, server: ConnectionServer<Exchange, Response>) {
    this.#socket = socket;
    const { times } = server.responder;
    this.#server = server;
    this.#responder = server.responder;
    this.#keepAliveS = Math.floor(times.keepAliveMs / 1_000);
    socket.setTimeout(times.firstRequestMs);
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose);
    socket.on('error', this.#onError).on('timeout', this.#onTimeout);
  }

  /** While a response is prepared the connection is silent: that time has a deadline of its own. */
  get #openMs(): number {
    const { keepAliveMs, silentMs } = this.#responder.times;
    return Math.max(keepAliveMs + LATE_MS, silentMs);
  }

  /** Whether it waits for the next request, and not for its first: that one may be on its way. */
  get isIdle(): boolean {
    return this.#hasAsked && !this.#exchange;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#exchange || this.#isOverrun) return this.#keepEarly(bytes);
    if (!this.#socket.writable) return; // the last response said that it ends the connection
    const request = this.#server.read(bytes);
    if (request) this.#response(request).catch(this.#onFailure);
    else this.#handOver(bytes);
  };

  readonly #onEnd = (): void => void this.#socket.end();
  /** `close` follows. */
  readonly #onError = (): void => undefined;

  readonly #onTimeout = (): void => {
    if (!this.#hasAsked) this.#socket.write(TOO_LATE);
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#exchange?.abandon();
    this.#releaseEarly();
    this.#endExchange();
    this.#server.closed(this);
  };

  readonly #onFailure = (error: unknown): void => {
    this.#responder.failed(error);
    this.#socket.destroy();
  };

  /** It goes on reading, because a client that leaves is noticed only behind all that it has sent. */
  #keepEarly(bytes: Buffer): void {
    this.#earlyBytes += bytes.length;
    if (!this.#isOverrun && this.#mayHoldEarly()) this.#early.push(bytes);
    else this.#overrun();
    if (this.#earlyBytes > this.#server.maxEarlyBytes) this.#socket.destroy();
  }

  #mayHoldEarly(): boolean {
    if (this.#exchange) this.#held ??= this.#responder.hold(this.#exchange);
    return this.#earlyBytes <= MAX_EARLY_BYTES && this.#held?.hold(this.#earlyBytes) === undefined;
  }

  #overrun(): void {
    this.#isOverrun = true;
    this.#releaseEarly();
  }

  #releaseEarly(): Buffer {
    const early = Buffer.concat(this.#early);
    this.#early = [];
    this.#held?.release();
    this.#held = undefined;
    return early;
  }

  async #response(request: PlainRequest): Promise<void> {
    const exchange = this.#responder.begin(request, this.#socket);
    this.#exchange = exchange;
    if (!this.#hasAsked) this.#socket.setTimeout(this.#openMs);
    this.#hasAsked = true;
    const response = await this.#responder.response(exchange, request);
    exchange.settle();
    if (this.#socket.writable) this.#write(exchange, response);
  }

  #write(exchange: Exchange, response: Response): void {
    const { isClosing } = this.#server;
    const { times } = this.#responder;
    const socket = this.#socket;
    const isLast = isClosing || this.#isOverrun;
    const rest = writeResponse(socket, response, isLast ? undefined : this.#keepAliveS);
    if (!rest && isClosing) return socket.destroySoon();
    if (!rest && socket.writableLength === 0) return this.#goOn();
    socket.setTimeout(times.silentMs);
    const unread = this.#responder.unread(exchange, response, socket);
    this.#unread = unread;
    const onWritten = (): void => (isClosing ? socket.destroySoon() : this.#goOn());
    if (rest) {
      writeInPieces(socket, rest, onWritten);
      socket.uncork(); // its head goes out with the first piece
    } else socket.write('', onWritten); // `drain` does not come after every response that had to wait
    unread.update();
  }

  #endExchange(): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#exchange = undefined;
    this.#unread?.end();
    this.#unread = undefined;
    this.#responder.ended(exchange);
  }

  /** The response has gone out. */
  #goOn(): void {
    if (this.#socket.destroyed) return;
    this.#endExchange();
    if (this.#isOverrun) return this.#endBehindResponse();
    if (this.#socket.timeout !== this.#openMs) this.#socket.setTimeout(this.#openMs);
    if (this.#earlyBytes === 0) return;
    const early = this.#releaseEarly();
    this.#earlyBytes = 0;
    this.#onData(early);
  }

  /** It is read on for a moment: closing on bytes that wait would take the response back from a client that has not read it. RFC 9112 §9.6. */
  #endBehindResponse(): void {
    this.#socket.setTimeout(LATE_MS);
    this.#socket.end();
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    socket.off('error', this.#onError).off('timeout', this.#onTimeout);
    socket.setTimeout(0);
    this.#server.handOver(this, socket, bytes);
  }
}
