import type { Socket } from 'node:net';
import type { HeldBytes } from '../../load/unanswered-bytes.ts';
import type { UnreadBytes } from '../../load/unread-reader.ts';
import type { HttpResponse } from '../message/http-exchange.ts';
import { writeInPieces } from '../message/write-in-pieces.ts';
import { writePlainResponse } from './plain-response.ts';
import type { PlainExchange } from './plain-exchange.ts';
import type { PlainRequest } from './plain-request.ts';

/** A client may use a connection until the very end of the announced keep-alive time. */
const LATE_MS = 1_000;
/** What is stored of what arrives before a response: a few requests. Who sends more may ask again on another connection. */
const MAX_EARLY_BYTES = 65_536;
/** RFC 9110 §15.5.9. */
const TOO_LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** What a connection is served by. */
export interface PlainService {
  /** @returns nothing for what is no plain request, and while the server closes */
  read(bytes: Buffer): PlainRequest | undefined;
  /** Begins an exchange. */
  begin(request: PlainRequest, socket: Socket): PlainExchange;
  /** Never rejects. */
  response(exchange: PlainExchange, request: PlainRequest): Promise<HttpResponse>;
  /** Counts what its client has not read of a response. */
  unread(exchange: PlainExchange, response: HttpResponse, socket: Socket): UnreadBytes;
  /** Counts what its client has sent behind it. */
  hold(exchange: PlainExchange): HeldBytes;
  /** Called once for each exchange that has begun: its response is written, or its client has disconnected. */
  ended(exchange: PlainExchange): void;
  /** Another server goes on with the connection, from these bytes on. */
  handOver(connection: PlainConnection, socket: Socket, bytes: Buffer): void;
  closed(connection: PlainConnection): void;
  /** Something that must not happen: the connection ends. */
  failed(error: unknown): void;
  /** Bytes that may arrive behind a request before its response: one that sends more ends its connection. */
  readonly maxEarlyBytes: number;
  /** Whether connections end with the next response. */
  readonly isClosing: boolean;
  readonly times: PlainTimes;
}

/** How long connections are stored. Milliseconds. */
export interface PlainTimes {
  /** To the first request. */
  readonly firstRequestMs: number;
  /** From a response to the next request. */
  readonly keepAliveMs: number;
  /** While a client does not read its response; longer than a response may take to be made. */
  readonly silentMs: number;
}

/**
 * A connection on which nothing but plain requests has arrived so far, one after the other's answer. With the first bytes that
 * are anything else it is handed over, for good.
 */
export class PlainConnection {
  readonly #socket: Socket;
  readonly #service: PlainService;
  readonly #keepAliveS: number;
  #exchange: PlainExchange | undefined;
  #unread: UnreadBytes | undefined;
  #hasAsked = false;
  /** What arrived before the response was written: more than one request at a time is not plain. */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #held: HeldBytes | undefined;
  /** Whether more has come early than is stored: then none of it is answered, and the connection ends with the response under way. */
  #isOverrun = false;

  constructor(socket: Socket, service: PlainService) {
    this.#socket = socket;
    this.#service = service;
    this.#keepAliveS = Math.floor(service.times.keepAliveMs / 1_000);
    socket.setTimeout(service.times.firstRequestMs);
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose);
    socket.on('error', this.#onError).on('timeout', this.#onTimeout);
  }

  /** While a response is prepared the connection is silent: that time has a deadline of its own. */
  get #openMs(): number {
    const { keepAliveMs, silentMs } = this.#service.times;
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
    const request = this.#service.read(bytes);
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
    this.#service.closed(this);
  };

  readonly #onFailure = (error: unknown): void => {
    this.#service.failed(error);
    this.#socket.destroy();
  };

  /** It goes on reading, because a client that leaves is noticed only behind all that it has sent. */
  #keepEarly(bytes: Buffer): void {
    this.#earlyBytes += bytes.length;
    if (!this.#isOverrun && this.#mayHoldEarly()) this.#early.push(bytes);
    else this.#overrun();
    if (this.#earlyBytes > this.#service.maxEarlyBytes) this.#socket.destroy();
  }

  #mayHoldEarly(): boolean {
    if (this.#exchange) this.#held ??= this.#service.hold(this.#exchange);
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
    const exchange = this.#service.begin(request, this.#socket);
    this.#exchange = exchange;
    if (!this.#hasAsked) this.#socket.setTimeout(this.#openMs);
    this.#hasAsked = true;
    const response = await this.#service.response(exchange, request);
    exchange.settle();
    if (this.#socket.writable) this.#write(exchange, response);
  }

  #write(exchange: PlainExchange, response: HttpResponse): void {
    const { isClosing, times } = this.#service;
    const socket = this.#socket;
    const isLast = isClosing || this.#isOverrun;
    const rest = writePlainResponse(socket, response, isLast ? undefined : this.#keepAliveS);
    if (!rest && isClosing) return socket.destroySoon();
    if (!rest && socket.writableLength === 0) return this.#goOn();
    socket.setTimeout(times.silentMs);
    const unread = this.#service.unread(exchange, response, socket);
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
    this.#service.ended(exchange);
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
    this.#service.handOver(this, socket, bytes);
  }
}
