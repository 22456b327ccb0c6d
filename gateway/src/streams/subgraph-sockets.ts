import { createClient, type Client, type SubscribePayload } from 'graphql-ws';
import WebSocket from 'ws';
import {
  CONNECT_MS,
  MAX_EVENT_BYTES,
  webSocketUrl,
  type UpstreamConnection,
  type UpstreamSink,
  type UpstreamTarget,
} from './upstream-transport.ts';

/** Settings of {@link SubgraphSockets}. */
export interface SubgraphSocketOptions {
  /** What goes in `connection_init`: what the gateway says of itself. Asked at each connection. */
  readonly initPayload: (subgraph: string) => Promise<Record<string, unknown>>;
}

/** The server answered the upgrade with something else than 101. */
export class UpgradeRejected extends Error {
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
const LINGER_MS = 5_000;

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
export class SubgraphSockets {
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
    let unanswered: NodeJS.Timeout | undefined;
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
        lazyCloseTimeout: LINGER_MS,
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
            clearTimeout(unanswered);
          },
          ping: (received) => {
            if (!received) unanswered = setTimeout(() => socket.client.terminate(), PING_MS);
          },
          pong: (received) => {
            if (received) clearTimeout(unanswered);
          },
        },
      }),
    };
    return socket;
  }
}
