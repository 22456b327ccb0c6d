import type { GraphQLFormattedError } from 'graphql';
import type { Caller } from '../identity/caller.ts';
import type { RequestContext } from '../request/context.ts';
import type { AdmittedOperation } from './admitted-operation.ts';

/** Frames of one result that are remembered: where clients name their operations at random, there are as many as clients. */
const MAX_FRAMES = 8;

/**
 * One response of a stream, written once for all the clients that get it. What a transport puts around it, where that is
 * the same for many of them, is written once as well.
 */
export class StreamedResult {
  /** The response as JSON. */
  readonly text: string;
  /** How many objects it answers. */
  readonly objects: number;
  readonly #framed = new Map<string, Buffer>();
  #bytes: Buffer | undefined;

  /** @param objects none where its objects are counted elsewhere */
  constructor(text: string, objects = 0) {
    this.text = text;
    this.objects = objects;
  }

  /** The same in UTF-8. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }

  /** @param name distinguishes the frame from those of other protocols */
  framed(name: string, write: (result: this) => Buffer): Buffer {
    const known = this.#framed.get(name);
    if (known) return known;
    const frame = write(this);
    if (this.#framed.size < MAX_FRAMES) this.#framed.set(name, frame);
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

/** Opens the streams of operations that have been let in. */
export interface OperationStreams {
  /**
   * Plans the operation and finds whom to share it with. Nothing is asked of a subgraph before the stream is started.
   *
   * @throws RequestError when the root field is denied, or the client has too many streams
   */
  open(admitted: AdmittedOperation, context: RequestContext): Promise<ResultStream>;
}
