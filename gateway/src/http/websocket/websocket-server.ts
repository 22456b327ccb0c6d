import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ambiguityOf, hasTooManyHeaders, onWebSocketRequest } from '@trellis/deployable';
import type { FastifyInstance } from 'fastify';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, CloseCode } from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { userOf, type Caller } from '../../auth/caller.ts';
import { Connection, type ConnectionObserver, type ConnectionOptions } from './connection.ts';
import { TurnQueue } from './turn-queue.ts';

/** Settings of {@link serveWebSockets}. */
export interface WebSocketServerOptions extends Omit<ConnectionOptions, 'observer'> {
  readonly path: string;
  /** Whether pages of an origin may connect; pages of the gateway's own always may. */
  readonly allowsOrigin: (origin: string) => boolean;
  /** The client's address, as far as trusted proxies tell it. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly maxMessageBytes: number;
  /** Connections of this process. */
  readonly maxConnections: number;
  readonly maxConnectionsPerUser: number;
  /** Milliseconds for queries and mutations to be answered when the server closes. */
  readonly drainMs: number;
  readonly observer: Omit<ConnectionObserver, 'admitted' | 'closed'> & {
    connections(change: 1 | -1): void;
  };
}

/**
 * Serves graphql-transport-ws on the port of an HTTP server. Closing that server closes the connections with 1012, after
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
  readonly #connections = new Set<Connection>();
  readonly #arriving = new TurnQueue(OPENED_PER_TURN);
  readonly #perUser = new Map<string, number>();
  readonly #connectionOptions: ConnectionOptions;
  #isDraining = false;

  constructor(options: WebSocketServerOptions) {
    this.#options = options;
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: options.maxMessageBytes,
      perMessageDeflate: false, // it costs each connection hundreds of kilobytes
      clientTracking: false,
      handleProtocols: (offered) =>
        offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : false,
    });
    this.#connectionOptions = {
      ...options,
      observer: {
        answered: options.observer.answered,
        slowClient: options.observer.slowClient,
        failed: options.observer.failed,
        admitted: (caller) => this.#admit(caller),
        closed: (connection, caller) => this.#closed(connection, caller),
      },
    };
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#refusalOf(request);
    socket.on('error', ignore);
    if (refusal !== undefined) return refuse(socket, refusal);
    this.#arriving.run(() => {
      if (this.#isDraining) return refuse(socket, 503);
      if (socket.destroyed) return;
      socket.off('error', ignore);
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#open(opened, request));
    });
  }

  /** Nothing new is let in; what is there is closed in order. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const deadline = AbortSignal.timeout(this.#options.drainMs);
    await Promise.all([...this.#connections].map((connection) => connection.drain(deadline)));
  }

  /** The status that an upgrade is refused with. */
  #refusalOf(request: IncomingMessage): number | undefined {
    if (request.url?.split('?')[0] !== this.#options.path) return 404;
    if (hasTooManyHeaders(request)) return 431;
    if (ambiguityOf(request) !== undefined) return 400;
    if (!this.#isAllowedOrigin(request)) return 403;
    if (this.#isDraining || this.#connections.size + this.#arriving.size >= this.#options.maxConnections)
      return 503;
    return undefined;
  }

  /** A page can open a WebSocket to any host without asking; only browsers send an origin, and they send it always. */
  #isAllowedOrigin({ headers }: IncomingMessage): boolean {
    const { origin, host } = headers;
    if (origin === undefined) return true;
    const isOwn = URL.canParse(origin) && new URL(origin).host === host;
    return isOwn || this.#options.allowsOrigin(origin);
  }

  #open(socket: WebSocket, request: IncomingMessage): void {
    if (socket.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL) {
      socket.close(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable');
      return;
    }
    const { headers, socket: stream } = request;
    const address = this.#options.addressOf(request);
    this.#connections.add(new Connection({ socket, stream, headers, address }, this.#connectionOptions));
    this.#options.observer.connections(1);
  }

  #admit(caller: Caller): boolean {
    const user = userOf(caller);
    if (user === undefined) return true;
    const count = this.#perUser.get(user) ?? 0;
    if (count >= this.#options.maxConnectionsPerUser) return false;
    this.#perUser.set(user, count + 1);
    return true;
  }

  #closed(connection: Connection, caller: Caller | undefined): void {
    this.#connections.delete(connection);
    this.#options.observer.connections(-1);
    const user = caller && userOf(caller);
    if (user === undefined) return;
    const left = (this.#perUser.get(user) ?? 1) - 1;
    if (left > 0) this.#perUser.set(user, left);
    else this.#perUser.delete(user);
  }
}

/** The client has gone. */
function ignore(): void {}

function refuse(socket: Duplex, status: number): void {
  const retry = status === 503 ? 'Retry-After: 1\r\n' : '';
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${retry}Connection: close\r\nContent-Length: 0\r\n\r\n`,
  );
}
