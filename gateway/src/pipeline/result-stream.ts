import type { GraphQLFormattedError } from 'graphql';
import type { Caller } from '../auth/caller.ts';

/**
 * One response of a stream, written once for all the clients that get it. What a transport puts around it, where that is
 * the same for all of them, is written once as well.
 */
export class StreamedResult {
  /** The response as JSON. */
  readonly text: string;
  readonly #framed = new Map<string, Buffer>();

  constructor(text: string) {
    this.text = text;
  }

  /** @param protocol the name under which the frame is remembered */
  framed(protocol: string, write: (text: string) => string): Buffer {
    let frame = this.#framed.get(protocol);
    if (!frame) this.#framed.set(protocol, (frame = Buffer.from(write(this.text))));
    return frame;
  }
}

/** Takes what a stream brings to one client. Nothing follows `complete` or `fail`. */
export interface ResultSink {
  next(result: StreamedResult): void;
  /** There will be no more: the source has ended. */
  complete(): void;
  /** The stream ended because something went wrong; the errors are as clients may see them. */
  fail(errors: readonly GraphQLFormattedError[]): void;
}

/** One client's stream. */
export interface ResultStream {
  /** Begins delivery; to be called once. */
  start(sink: ResultSink): void;
  /** The client wants no more, or is gone. The sink hears nothing any more. */
  stop(): void;
  /** The client has brought another token: from now on the stream runs under it. */
  renew(caller: Caller): void;
}
