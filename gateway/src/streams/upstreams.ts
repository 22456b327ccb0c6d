import type { StreamObserver } from './stream-observer.ts';
import type { SubgraphSockets } from './subgraph-sockets.ts';
import { UpstreamStream, type UpstreamRequest } from './upstream-stream.ts';

/** The subscriptions that the gateway has at subgraphs: one for all requests with the same key. */
export class Upstreams {
  readonly #sockets: SubgraphSockets;
  readonly #observer: StreamObserver;
  readonly #streams = new Map<string, UpstreamStream>();

  constructor(sockets: SubgraphSockets, observer: StreamObserver) {
    this.#sockets = sockets;
    this.#observer = observer;
  }

  /** The stream of a request. It begins with its first listener. */
  streamOf(request: UpstreamRequest): UpstreamStream {
    const { key } = request;
    const known = this.#streams.get(key);
    if (known) return known;
    const stream = new UpstreamStream(request, this.#sockets, this.#observer, () => this.#forget(stream));
    this.#streams.set(key, stream);
    return stream;
  }

  #forget(stream: UpstreamStream): void {
    const { key } = stream.request;
    if (this.#streams.get(key) === stream) this.#streams.delete(key);
  }
}
