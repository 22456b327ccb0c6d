import { MessageType } from 'graphql-ws';
import type { GraphQLFormattedError } from 'graphql';
import type { ResultSink, StreamedResult } from '../../pipeline/result-stream.ts';
import { textFrame } from './text-frame.ts';

/** The connection that messages are written to. */
export interface MessageWriter {
  write(text: string): void;
  /** @param frame a message that many connections may share */
  writeFrame(frame: Buffer): void;
}

const TAIL = Buffer.from('}');
/** Ids of more characters are made at random. */
const MAX_SHARED_ID = 8;
const MAX_HEADS = 1_000;
const heads = new Map<string, string>();

/** Writes one stream into the messages of a connection. */
export class OperationSink implements ResultSink {
  readonly #id: string;
  /** What comes before each response: it is the same for all of them. */
  readonly #head: string;
  readonly #writer: MessageWriter;
  readonly #onEnd: () => void;

  /** @param onEnd called before the message that ends the operation */
  constructor(id: string, writer: MessageWriter, onEnd: () => void) {
    this.#id = id;
    this.#head = sharedHeadOf(id);
    this.#writer = writer;
    this.#onEnd = onEnd;
  }

  /** Clients mostly number their operations: those with the same number get the same frame. */
  next(result: StreamedResult): void {
    const frame = result.framed(this.#head, ({ bytes }) => textFrame(Buffer.from(this.#head), bytes, TAIL));
    this.#writer.writeFrame(frame);
  }

  complete(): void {
    this.#onEnd();
    this.#writer.write(JSON.stringify({ id: this.#id, type: MessageType.Complete }));
  }

  fail(errors: readonly GraphQLFormattedError[]): void {
    this.#onEnd();
    this.#writer.write(JSON.stringify({ id: this.#id, type: MessageType.Error, payload: errors }));
  }
}

/**
 * The message that carries one result of an operation.
 *
 * @param response as JSON
 */
export function nextFrame(id: string, response: string): string {
  return `${headOf(id)}${response}}`;
}

/** Where clients number their operations, one text serves all of them: it is compared at every result. */
function sharedHeadOf(id: string): string {
  const known = heads.get(id);
  if (known !== undefined) return known;
  const head = headOf(id);
  if (heads.size < MAX_HEADS && id.length <= MAX_SHARED_ID) heads.set(id, head);
  return head;
}

function headOf(id: string): string {
  return `{"id":${JSON.stringify(id)},"type":"next","payload":`;
}
