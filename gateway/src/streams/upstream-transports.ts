import { LAST_EVENT_ID_EXTENSION, SUBSCRIBE_HEADERS_EXTENSION } from '@trellis/subgraph-protocol';
import type { CallbackSubscriptions } from './callback-subscriptions.ts';
import { EventRequests } from './event-requests.ts';
import { FoundTransports } from './found-transports.ts';
import { SubgraphSockets, UpgradeRejected, type SubgraphSocketOptions } from './subgraph-sockets.ts';
import type {
  UpstreamConnection,
  UpstreamMessage,
  UpstreamSink,
  UpstreamTarget,
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
