import { createClient, type Client, type Sink, type SubscribePayload } from 'graphql-ws';
import WebSocket from 'ws';

/** Settings of {@link SubgraphSockets}. */
export interface SubgraphSocketOptions {
  /** What goes in `connection_init`: what the gateway says of itself. Asked at each connection. */
  readonly initPayload: (subgraph: string) => Promise<Record<string, unknown>>;
}

/** One subscription on a socket. */
export interface SocketSubscription {
  /** The subscribe message is written: events may come from then on. */
  isEstablished(): boolean;
  cancel(): void;
}

const MAX_MESSAGE_BYTES = 16 * 1_048_576;
const HANDSHAKE_MS = 10_000;
const ACKNOWLEDGE_MS = 10_000;
/** Between two pings, and for each to be answered. */
const PING_MS = 10_000;
/** For which a socket without subscriptions stays open. */
const LINGER_MS = 5_000;

/** WebSockets to subgraphs, bounded in what they take. */
class SubgraphWebSocket extends WebSocket {
  constructor(url: string, protocol: string) {
    super(url, protocol, {
      maxPayload: MAX_MESSAGE_BYTES,
      handshakeTimeout: HANDSHAKE_MS,
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
}

/** One socket for each subgraph, which all subscriptions share: opened for the first, closed a while after the last. */
export class SubgraphSockets {
  readonly #options: SubgraphSocketOptions;
  readonly #sockets = new Map<string, SharedSocket>();

  constructor(options: SubgraphSocketOptions) {
    this.#options = options;
  }

  /** Subscribes once: a connection that can't be opened, or breaks, is an error of the sink. */
  subscribe(subgraph: string, url: string, payload: SubscribePayload, sink: Sink): SocketSubscription {
    const socket = this.#socketOf(subgraph, url);
    const wasOpen = socket.isOpen;
    const openingsBefore = socket.openings;
    const cancel = socket.client.subscribe(payload, sink);
    return { cancel, isEstablished: () => wasOpen || socket.openings > openingsBefore };
  }

  close(): void {
    for (const { client } of this.#sockets.values()) void client.dispose();
    this.#sockets.clear();
  }

  #socketOf(subgraph: string, url: string): SharedSocket {
    const key = `${subgraph} ${url}`;
    let socket = this.#sockets.get(key);
    if (!socket) this.#sockets.set(key, (socket = this.#open(subgraph, url)));
    return socket;
  }

  #open(subgraph: string, url: string): SharedSocket {
    let unanswered: NodeJS.Timeout | undefined;
    const socket: SharedSocket = {
      isOpen: false,
      openings: 0,
      client: createClient({
        url,
        webSocketImpl: SubgraphWebSocket,
        connectionParams: () => this.#options.initPayload(subgraph),
        connectionAckWaitTimeout: ACKNOWLEDGE_MS,
        lazyCloseTimeout: LINGER_MS,
        keepAlive: PING_MS,
        retryAttempts: 0, // each stream decides for itself whether it can go on
        on: {
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

/** The address of a subgraph's WebSocket, where none is configured. */
export function webSocketUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}
