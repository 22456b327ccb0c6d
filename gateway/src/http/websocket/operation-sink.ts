import { MessageType } from 'graphql-ws';
import type { GraphQLFormattedError } from 'graphql';
import type { ResultSink, StreamedResult } from '../../pipeline/result-stream.ts';

/** Writes one stream into the messages of a connection. */
export class OperationSink implements ResultSink {
  readonly #id: string;
  /** What comes before each response: it is the same for all of them. */
  readonly #head: string;
  readonly #write: (text: string) => void;
  readonly #onEnd: () => void;

  /** @param onEnd called before the message that ends the operation */
  constructor(id: string, write: (text: string) => void, onEnd: () => void) {
    this.#id = id;
    this.#head = headOf(id);
    this.#write = write;
    this.#onEnd = onEnd;
  }

  next(result: StreamedResult): void {
    this.#write(`${this.#head}${result.text}}`);
  }

  complete(): void {
    this.#onEnd();
    this.#write(JSON.stringify({ id: this.#id, type: MessageType.Complete }));
  }

  fail(errors: readonly GraphQLFormattedError[]): void {
    this.#onEnd();
    this.#write(JSON.stringify({ id: this.#id, type: MessageType.Error, payload: errors }));
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

function headOf(id: string): string {
  return `{"id":${JSON.stringify(id)},"type":"next","payload":`;
}
