import type { StreamObserver } from './stream-observer.ts';
import { UpstreamStream, type UpstreamRequest } from './upstream-stream.ts';
import type { UpstreamTransports } from './upstream-transports.ts';

/** The subscriptions that the gateway has at subgraphs: one for all requests with the same key. */
export class Upstreams {
  readonly #transports: UpstreamTransports;
  readonly #observer: StreamObserver;
  readonly #streams = new Map<string, UpstreamStream>();

  constructor(transports: UpstreamTransports, observer: StreamObserver) {
    this.#transports = transports;
    this.#observer = observer;
  }

  /** The stream of a request. It begins with its first listener. */
  streamOf(request: UpstreamRequest): UpstreamStream {
    const { key } = request;
    const known = this.#streams.get(key);
    if (known) return known;
    const stream = new UpstreamStream(request, this.#transports, this.#observer, () => this.#forget(stream));
    this.#streams.set(key, stream);
    return stream;
  }

  #forget(stream: UpstreamStream): void {
    const { key } = stream.request;
    if (this.#streams.get(key) === stream) this.#streams.delete(key);
  }
}
