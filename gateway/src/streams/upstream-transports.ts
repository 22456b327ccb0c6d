import WebSocket from 'ws';
import { LAST_EVENT_ID_EXTENSION, SUBSCRIBE_HEADERS_EXTENSION } from '@trellis/subgraph-protocol';
import { createClient, type Client, type SubscribePayload } from 'graphql-ws';
import type { CallbackSubscriptions } from './callback-subscriptions.ts';
import { EventRequests } from './event-requests.ts';
import {
  type UpstreamConnection,
  type UpstreamMessage,
  type UpstreamSink,
  type UpstreamTarget,
  CONNECT_MS,
  MAX_EVENT_BYTES,
  webSocketUrl,
} from './upstream-transport.ts';

/**
 * Subscribes at subgraphs over WebSocket or HTTP. Where the transport is to be found out, the WebSocket is tried first; a server
 * that answers its upgrade like any request is asked by POST, and for a while by POST at once.
 */
export class UpstreamTransports {
  readonly #sockets: SubgraphSockets;
  readonly #requests = new EventRequests();
  readonly #callbacks: CallbackSubscriptions;
  readonly #found = new FoundTransports();

  constructor(options: SubgraphSocketOptions, callbacks: CallbackSubscriptions) {
    this.#callbacks = callbacks;
    this.#sockets = new SubgraphSockets(options);
  }

  /** Subscribes once: a connection that can't be opened, or breaks, is an error of the sink. */
  subscribe(target: UpstreamTarget, message: UpstreamMessage, sink: UpstreamSink): UpstreamConnection {
    const { transport } = target;
    if (transport === 'callback') return this.#callbacks.subscribe(target, message, sink);
    if (transport === 'websocket') return this.#overWebSocket(target, message, sink);
    if (transport === 'auto') return this.#overWhatIsFound(target, message, sink);
    return this.#requests.subscribe(target, message, sink);
  }

  close(): void {
    this.#sockets.close();
    this.#callbacks.close();
  }

  #overWebSocket(target: UpstreamTarget, message: UpstreamMessage, sink: UpstreamSink): UpstreamConnection {
    const { query, operationName = null, variables, headers, lastEventId } = message;
    const extensions = {
      [SUBSCRIBE_HEADERS_EXTENSION]: headers,
      ...(lastEventId !== undefined && { [LAST_EVENT_ID_EXTENSION]: lastEventId }),
    };
    const payload = { query, operationName, variables, extensions };
    return this.#sockets.subscribe(target, payload, sink);
  }

  #overWhatIsFound(target: UpstreamTarget, message: UpstreamMessage, sink: UpstreamSink): UpstreamConnection {
    const isHttpOnly = target.isHttpOnly || this.#found.isOverHttp(target.url);
    return isHttpOnly ? this.#overFoundHttp(target, message, sink) : this.#find(target, message, sink);
  }

  #overFoundHttp(target: UpstreamTarget, message: UpstreamMessage, sink: UpstreamSink): UpstreamConnection {
    return this.#requests.subscribe(target, message, {
      next: (payload) => sink.next(payload),
      complete: () => sink.complete(),
      error: (error) => {
        this.#found.forget(target.url);
        sink.error(error);
      },
    });
  }

  #find(target: UpstreamTarget, message: UpstreamMessage, sink: UpstreamSink): UpstreamConnection {
    let isCancelled = false;
    let connection = this.#overWebSocket(target, message, {
      next: (payload) => sink.next(payload),
      complete: () => sink.complete(),
      error: (error) => {
        if (isCancelled) return;
        if (!(error instanceof UpgradeRejected) || !error.isWord) return sink.error(error);
        this.#found.rememberHttp(target.url);
        connection = this.#overFoundHttp(target, message, sink);
      },
    });
    return {
      isEstablished: () => connection.isEstablished(),
      cancel: () => {
        isCancelled = true;
        connection.cancel();
      },
    };
  }
}

/** For which it is remembered, milliseconds: a subgraph may be given WebSockets later. */
const REMEMBERED_MS = 10 * 60_000;
/** More than one supergraph has subgraphs. */
const MAX_REMEMBERED = 2_000;

/** Subgraphs that were found to answer over HTTP alone, by address. */
export class FoundTransports {
  readonly #untilMs = new Map<string, number>();
  readonly #now: () => number;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  isOverHttp(address: string): boolean {
    const untilMs = this.#untilMs.get(address);
    if (untilMs === undefined) return false;
    if (untilMs > this.#now()) return true;
    this.#untilMs.delete(address);
    return false;
  }

  rememberHttp(address: string): void {
    this.#untilMs.delete(address);
    const [oldest] = this.#untilMs.keys();
    if (this.#untilMs.size >= MAX_REMEMBERED && oldest !== undefined) this.#untilMs.delete(oldest);
    this.#untilMs.set(address, this.#now() + REMEMBERED_MS);
  }

  /** What failed may be another server now. */
  forget(address: string): void {
    this.#untilMs.delete(address);
  }
}

/** Settings of {@link SubgraphSockets}. */
export interface SubgraphSocketOptions {
  /** What goes in `connection_init`: what the gateway says of itself. Asked at each connection. */
  readonly initPayload: (subgraph: string) => Promise<Record<string, unknown>>;
}

/** The server answered the upgrade with something else than 101. */
class UpgradeRejected extends Error {
  override name = 'UpgradeRejected';
  /** Whether the server has said so itself: a gateway in front of it that can't reach it says nothing of what it speaks. */
  readonly isWord: boolean;

  constructor(status: number) {
    super(`The upgrade to a WebSocket was answered with ${status}.`);
    this.isWord = ![429, 500, 502, 503, 504].includes(status);
  }
}

const ACKNOWLEDGE_MS = 10_000;
/** Between two pings, and for each to be answered. */
const PING_MS = 10_000;
/** For which a socket without subscriptions stays open. */
const IDLE_TIMEOUT_MS = 5_000;

/** WebSockets to subgraphs, bounded in what they take. */
class SubgraphWebSocket extends WebSocket {
  constructor(url: string, protocol: string, { connections, fixedHeaders }: UpstreamTarget) {
    super(url, protocol, {
      ...connections.tls,
      headers: fixedHeaders,
      maxPayload: MAX_EVENT_BYTES,
      handshakeTimeout: CONNECT_MS,
      perMessageDeflate: false,
      followRedirects: false,
    });
  }
}

interface SharedSocket {
  readonly client: Client;
  isOpen: boolean;
  /** How often it was opened. */
  openings: number;
  /** How the server answered the last upgrade, where that was not 101. */
  rejection: UpgradeRejected | undefined;
}

/** One socket for each subgraph, which all subscriptions share: opened for the first, closed a while after the last. */
class SubgraphSockets {
  readonly #options: SubgraphSocketOptions;
  readonly #sockets = new Map<string, SharedSocket>();

  constructor(options: SubgraphSocketOptions) {
    this.#options = options;
  }

  /** Subscribes once: a connection that can't be opened, or breaks, is an error of the sink. */
  subscribe(target: UpstreamTarget, payload: SubscribePayload, sink: UpstreamSink): UpstreamConnection {
    const socket = this.#socketOf(target);
    const wasOpen = socket.isOpen;
    const openingsBefore = socket.openings;
    const cancel = socket.client.subscribe(payload, {
      next: (result) => sink.next(result),
      complete: () => sink.complete(),
      error: (error) => sink.error(socket.rejection ?? error),
    });
    return { cancel, isEstablished: () => wasOpen || socket.openings > openingsBefore };
  }

  close(): void {
    for (const { client } of this.#sockets.values()) void client.dispose();
    this.#sockets.clear();
  }

  #socketOf(target: UpstreamTarget): SharedSocket {
    const { subgraph, url, connections, fixedHeaders } = target;
    const key = JSON.stringify([subgraph, url, connections.id, fixedHeaders]);
    let socket = this.#sockets.get(key);
    if (!socket) this.#sockets.set(key, (socket = this.#open(target)));
    return socket;
  }

  #open(target: UpstreamTarget): SharedSocket {
    let pongTimeout: NodeJS.Timeout | undefined;
    const socket: SharedSocket = {
      isOpen: false,
      openings: 0,
      rejection: undefined,
      client: createClient({
        url: webSocketUrl(target.url),
        webSocketImpl: class extends SubgraphWebSocket {
          constructor(address: string, protocol: string) {
            super(address, protocol, target);
            this.on('unexpected-response', (_request, { statusCode = 0 }) => {
              socket.rejection = new UpgradeRejected(statusCode);
              this.terminate();
            });
          }
        },
        connectionParams: () => this.#options.initPayload(target.subgraph),
        connectionAckWaitTimeout: ACKNOWLEDGE_MS,
        lazyCloseTimeout: IDLE_TIMEOUT_MS,
        keepAlive: PING_MS,
        retryAttempts: 0, // each stream decides for itself whether it can go on
        on: {
          connecting: () => {
            socket.rejection = undefined;
          },
          connected: () => {
            socket.isOpen = true;
            socket.openings += 1;
          },
          closed: () => {
            socket.isOpen = false;
            clearTimeout(pongTimeout);
          },
          ping: (received) => {
            if (!received) pongTimeout = setTimeout(() => socket.client.terminate(), PING_MS);
          },
          pong: (received) => {
            if (received) clearTimeout(pongTimeout);
          },
        },
      }),
    };
    return socket;
  }
}
