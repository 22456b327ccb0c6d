import { Server, type IncomingMessage, type RequestListener, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { CLOSING_BEGAN, EXCHANGE_BEGAN, EXCHANGE_ENDED } from '@trellis/runtime';
import type { HeldBytes } from '../../load/unanswered-bytes.ts';
import type { UnreadBytes } from '../../load/unread-reader.ts';
import type { HttpResponse } from '../message/http-exchange.ts';
import type { HttpConnections } from '../message/http-connections.ts';
import { PlainConnection, type PlainService, type PlainTimes } from './plain-connection.ts';
import { PlainExchange } from './plain-exchange.ts';
import { readPlainRequest, type PlainRequest, type PlainRequestRules } from './plain-request.ts';

/** As many bytes as Node takes of one. */
const MAX_HEAD_BYTES = 16_384;

/** Who answers plain requests. */
export interface PlainResponder {
  readonly rules: PlainRequestRules;
  /** Milliseconds to the first byte of a response. */
  readonly timeoutMs: number;
  readonly times: PlainTimes;
  /** Bounds how many connections there are. */
  readonly connections: HttpConnections;
  /** The client's address, as reported by trusted proxies. */
  addressOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): string;
  /** Counts what its client has not read of a response. */
  unread(exchange: PlainExchange, response: HttpResponse, socket: Socket): UnreadBytes;
  /** Counts what its client has sent behind it. */
  hold(exchange: PlainExchange): HeldBytes;
  /** Called when an exchange's response is written or its client has disconnected: its slot is free. */
  ended(exchange: PlainExchange): void;
  /** Called for unexpected errors. */
  failed(error: unknown): void;
  /** Never rejects. */
  response(exchange: PlainExchange, request: PlainRequest): Promise<HttpResponse>;
}

/**
 * An HTTP server that answers plain requests by itself. Every connection begins here, and goes over to Node's own server, with
 * all that has arrived and not been answered, as soon as it carries anything but plain requests: so there is one server that
 * knows all of HTTP, and requests that need none of that do not pay for it.
 */
export class PlainFirstServer extends Server implements PlainService {
  readonly #responder: PlainResponder;
  readonly #connections = new Set<PlainConnection>();
  readonly #counted = new Set<Socket>();
  readonly #passOn: (socket: Socket) => void;
  isClosing = false;

  constructor(options: ServerOptions, listener: RequestListener, responder: PlainResponder) {
    super(options, listener);
    this.#responder = responder;
    const [ofNode] = this.listeners('connection');
    if (!ofNode) throw new Error('The HTTP server listens for no connections.');
    this.removeListener('connection', ofNode as () => void);
    this.#passOn = ofNode.bind(this) as (socket: Socket) => void;
    this.on('connection', (socket: Socket) => this.#onConnection(socket));
    // from then on all that arrives is Node's: it knows how a connection is ended
    this.on(CLOSING_BEGAN, () => (this.isClosing = true));
  }

  /** A connection may come again, with a request that is read a second time. */
  #onConnection(socket: Socket): void {
    if (this.#counted.has(socket) || this.#count(socket))
      this.#connections.add(new PlainConnection(socket, this));
  }

  #count(socket: Socket): boolean {
    const place = this.#responder.connections.take(socket);
    if (!place) return false;
    this.#counted.add(socket);
    socket.once('close', () => {
      this.#counted.delete(socket);
      place.leave();
    });
    return true;
  }

  get times(): PlainTimes {
    return this.#responder.times;
  }

  /** Another request, of the largest size, with room for its head. */
  get maxEarlyBytes(): number {
    return MAX_HEAD_BYTES + this.#responder.rules.maxBodyBytes;
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
    return this.isClosing ? undefined : readPlainRequest(bytes, this.#responder.rules);
  }

  begin({ headers }: PlainRequest, socket: Socket): PlainExchange {
    const exchange = new PlainExchange({
      headers,
      address: this.#responder.addressOf({ headers, socket }),
      timeoutMs: this.#responder.timeoutMs,
    });
    this.emit(EXCHANGE_BEGAN);
    return exchange;
  }

  response(exchange: PlainExchange, request: PlainRequest): Promise<HttpResponse> {
    return this.#responder.response(exchange, request);
  }

  unread(exchange: PlainExchange, response: HttpResponse, socket: Socket): UnreadBytes {
    return this.#responder.unread(exchange, response, socket);
  }

  hold(exchange: PlainExchange): HeldBytes {
    return this.#responder.hold(exchange);
  }

  ended(exchange: PlainExchange): void {
    this.#responder.ended(exchange);
    this.emit(EXCHANGE_ENDED);
  }

  handOver(connection: PlainConnection, socket: Socket, bytes: Buffer): void {
    this.#connections.delete(connection);
    this.#passOn(socket);
    socket.emit('data', bytes);
  }

  failed(error: unknown): void {
    this.#responder.failed(error);
  }

  closed(connection: PlainConnection): void {
    this.#connections.delete(connection);
  }
}
