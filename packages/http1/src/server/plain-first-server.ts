import { Server, type RequestListener, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { PlainConnection, type ConnectionServer } from './plain-connection.ts';
import { readPlainRequest, type PlainRequest } from './plain-request.ts';
import type { PlainExchange, PlainResponder } from './plain-responder.ts';
import type { WholeResponse } from './write-response.ts';

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
