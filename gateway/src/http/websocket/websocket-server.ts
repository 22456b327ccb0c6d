import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ambiguityOf, hasTooManyHeaders, onWebSocketRequest } from '@trellis/runtime';
import { shareKeysOf, type ShareRejection } from '@trellis/runtime/admission';
import type { FastifyInstance } from 'fastify';
import { CloseCode } from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { userOf, type Caller } from '../../identity/caller.ts';
import { ConnectionPlaces, type ConnectionPlace } from '../../load/connection-places.ts';
import type { TransportSettings } from '../../settings/settings.ts';
import { closeUnserved } from './client-socket.ts';
import { Connection } from './connection.ts';
import type { ConnectionObserver, ConnectionOptions, OpenConnection } from './connection-options.ts';
import type { CertificateReader } from '../message/client-certificate.ts';
import { isOwnOrigin, type HostCheck } from '../message/cross-origin.ts';
import { MISDIRECTED } from '../message/reject-other-hosts.ts';
import { rejectConnection, type ConnectionRejection } from '../message/http-connections.ts';
import { chooseProtocol, wireProtocolOf } from './wire-protocol.ts';
import { TurnQueue } from './turn-queue.ts';

/** Settings of {@link serveWebSockets}. */
export interface WebSocketServerOptions extends Omit<ConnectionOptions, 'observer'> {
  readonly path: string;
  /** Whether pages of an origin may connect; pages of the gateway's own always may. */
  readonly allowsOrigin: (origin: string) => boolean;
  /** Which hosts are served now; nothing where all are. */
  readonly hosts: () => HostCheck | undefined;
  /** The client's address, as reported by trusted proxies. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Absent where no header says which certificate a client has used. */
  readonly certificateOf: CertificateReader;
  readonly observer: Omit<ConnectionObserver, 'admitted' | 'closed'> & {
    connections(change: 1 | -1): void;
    connectionRejected(reason: ShareRejection): void;
  };
}

/**
 * Serves GraphQL over WebSocket on the port of an HTTP server. Closing that server closes the connections with 1012, after
 * the queries and mutations that run on them.
 */
export function serveWebSockets(server: FastifyInstance, options: WebSocketServerOptions): void {
  const host = new WebSocketHost(options);
  onWebSocketRequest(server.server, (request, socket, head) => host.upgrade(request, socket, head));
  server.addHook('preClose', () => host.drain());
}

/** When all clients come again at once, requests need not wait until all are in. */
const OPENED_PER_TURN = 10;

class WebSocketHost {
  readonly #options: WebSocketServerOptions;
  readonly #sockets: WebSocketServer;
  readonly #connections = new Map<OpenConnection, ConnectionPlace>();
  readonly #places: ConnectionPlaces;
  readonly #arriving = new TurnQueue(OPENED_PER_TURN);
  readonly #perUser = new Map<string, number>();
  readonly #connectionOptions: ConnectionOptions;
  #isDraining = false;

  constructor(options: WebSocketServerOptions) {
    this.#options = options;
    this.#places = new ConnectionPlaces(() => options.settings().subscriptions.webSocket);
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: this.#rules.maxMessageBytes,
      perMessageDeflate: false, // it costs each connection hundreds of kilobytes
      clientTracking: false,
      handleProtocols: chooseProtocol,
    });
    this.#connectionOptions = {
      ...options,
      observer: {
        answered: options.observer.answered,
        slowConsumer: options.observer.slowConsumer,
        failed: options.observer.failed,
        admitted: (connection, caller) => this.#admit(connection, caller),
        closed: (connection, caller) => this.#closed(connection, caller),
      },
    };
  }

  get #rules(): TransportSettings['subscriptions']['webSocket'] {
    return this.#options.settings().subscriptions.webSocket;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', ignore);
    const rejection = this.#rejectionOf(request);
    if (rejection !== undefined) return rejectConnection(socket, rejection);
    const address = this.#options.addressOf(request);
    const place = this.#places.take(shareKeysOf({ address }));
    if (typeof place === 'string') {
      this.#options.observer.connectionRejected(place);
      return rejectConnection(socket, REJECTION_OF[place]);
    }
    socket.once('close', () => place.leave());
    this.#arriving.run(() => {
      if (this.#isDraining) return rejectConnection(socket, REJECTION_OF.total);
      if (socket.destroyed) return;
      socket.off('error', ignore);
      this.#sockets.options.maxPayload = this.#rules.maxMessageBytes;
      this.#sockets.handleUpgrade(request, socket, head, (opened) =>
        this.#open(opened, request, { address, place }),
      );
    });
  }

  /** Rejects new connections; open ones are closed in order. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const deadline = AbortSignal.timeout(this.#options.settings().subscriptions.drainMs);
    await Promise.all([...this.#connections.keys()].map((connection) => connection.drain(deadline)));
  }

  /** What is wrong with the request itself. */
  #rejectionOf(request: IncomingMessage): ConnectionRejection | undefined {
    if (request.url?.split('?')[0] !== this.#options.path) return { status: 404 };
    if (hasTooManyHeaders(request)) return { status: 431 };
    if (ambiguityOf(request) !== undefined) return { status: 400 };
    if (this.#options.hosts()?.(request.headers.host) === false) return { status: 421, message: MISDIRECTED };
    if (!this.#isAllowedOrigin(request)) return { status: 403 };
    return this.#isDraining ? REJECTION_OF.total : undefined;
  }

  /** A page can open a WebSocket to any host without asking; only browsers send an origin, and they send it always. */
  #isAllowedOrigin({ headers }: IncomingMessage): boolean {
    const { origin, host } = headers;
    if (origin === undefined) return true;
    return isOwnOrigin(origin, host) || this.#options.allowsOrigin(origin);
  }

  #open(socket: WebSocket, request: IncomingMessage, { address, place }: Arrived): void {
    const protocol = wireProtocolOf(socket.protocol);
    if (!protocol)
      return closeUnserved(socket, CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable');
    const { headers, socket: stream } = request;
    const certificate = this.#options.certificateOf(request);
    const connection = new Connection(
      { socket, stream, headers, address, certificate, protocol },
      this.#connectionOptions,
    );
    this.#connections.set(connection, place);
    this.#options.observer.connections(1);
  }

  /** A user's connections count as the user's, wherever they come from. */
  #admit(connection: OpenConnection, caller: Caller): boolean {
    const user = userOf(caller);
    if (user === undefined) return true;
    const count = this.#perUser.get(user) ?? 0;
    if (count >= this.#rules.maxConnectionsPerUser) return false;
    this.#perUser.set(user, count + 1);
    this.#connections.get(connection)?.moveTo(shareKeysOf({ user, address: '' }));
    return true;
  }

  #closed(connection: OpenConnection, caller: Caller | undefined): void {
    this.#connections.delete(connection);
    this.#options.observer.connections(-1);
    const user = caller && userOf(caller);
    if (user === undefined) return;
    const left = (this.#perUser.get(user) ?? 1) - 1;
    if (left > 0) this.#perUser.set(user, left);
    else this.#perUser.delete(user);
  }
}

/** The client disconnected. */
function ignore(): void {}

/** An upgrade that was let in. */
interface Arrived {
  readonly address: string;
  readonly place: ConnectionPlace;
}

const REJECTION_OF: Readonly<Record<ShareRejection, ConnectionRejection>> = {
  share: {
    status: 429,
    message:
      'Too many WebSocket connections are open from this network. Close some, or sign in and connect again.',
    retryAfterS: 10,
  },
  total: {
    status: 503,
    message: 'The gateway takes no more connections. Connect again later.',
    retryAfterS: 1,
  },
};
