import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { http2Headers, type Http2RequestHead } from './http2-headers.ts';

/** For which a session without requests stays open, milliseconds. Servers keep idle ones for a minute and more. */
const IDLE_MS = 30_000;
/** For a subgraph to respond to a ping, milliseconds. */
const PING_MS = 5_000;
/** Streams that a server is taken to allow until its settings have arrived. RFC 9113 §6.5.2 asks servers for no less. */
const FIRST_STREAMS = 100;

/** One connection over HTTP/2, with many requests at a time. */
export class Http2Session {
  readonly #session: ClientHttp2Session;
  readonly #authority: string;
  #streams = 0;
  #isRetired = false;
  #isPinging = false;

  /**
   * @param authority host and port, as `:authority` says them
   * @param onRetired called once, when it takes no more requests
   */
  constructor(session: ClientHttp2Session, authority: string, onRetired: (session: Http2Session) => void) {
    this.#session = session;
    this.#authority = authority;
    const retire = (): void => {
      if (this.#isRetired) return;
      this.#isRetired = true;
      onRetired(this);
    };
    session.on('goaway', retire);
    session.on('close', retire);
    session.on('error', retire); // each stream gets an error of its own
    session.setTimeout(IDLE_MS, () => {
      if (this.#streams === 0) session.close();
    });
    session.unref();
  }

  /** Requests under way. */
  get streams(): number {
    return this.#streams;
  }

  /** Whether it takes no more requests. */
  get isOver(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  /** Whether a request would not wait for others. */
  get hasRoom(): boolean {
    return (
      !this.isOver && this.#streams < (this.#session.remoteSettings?.maxConcurrentStreams ?? FIRST_STREAMS)
    );
  }

  /**
   * Sends a request.
   *
   * @throws MalformedRequest; Error where the session has just been closed
   */
  open(head: Omit<Http2RequestHead, 'authority'>, body: string): ClientHttp2Stream {
    const stream = this.#session.request(http2Headers({ ...head, authority: this.#authority }));
    this.#streams += 1;
    this.#session.ref();
    stream.once('close', () => {
      this.#streams -= 1;
      if (this.#streams === 0) this.#session.unref(); // an idle session keeps no process alive
    });
    stream.end(body);
    return stream;
  }

  /**
   * Ends the session unless the subgraph responds. After a response that did not come: the connection may be lost, and what
   * follows must not wait on the same.
   */
  assertAlive(): void {
    if (this.#isPinging || this.#session.destroyed) return;
    this.#isPinging = true;
    const timer = setTimeout(() => this.#session.destroy(), PING_MS).unref();
    const isSent = this.#session.ping(() => {
      this.#isPinging = false;
      clearTimeout(timer);
    });
    if (!isSent) this.#session.destroy();
  }

  /** Waits for what is in flight. */
  close(): Promise<void> {
    if (this.#session.destroyed) return Promise.resolve();
    return new Promise((resolve) => this.#session.close(resolve));
  }

  destroy(): void {
    this.#session.destroy();
  }
}
