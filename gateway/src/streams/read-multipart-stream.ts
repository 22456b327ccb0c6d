import { EventTooLarge, TextLines } from './text-lines.ts';
import type { StreamMessage } from './upstream-transport.ts';

/**
 * Reads the responses that a subgraph sends in parts (Apollo's multipart protocol for subscriptions, RFC 2046 §5.1). A part
 * counts as soon as the delimiter behind it has arrived, though the line may not have ended.
 *
 * @param boundary as the content type names it
 * @param maxLength characters of a part
 * @throws EventTooLarge, SyntaxError where a part is no JSON
 */
export async function* readMultipartStream(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  maxLength: number,
): AsyncGenerator<StreamMessage, void, undefined> {
  const delimiter = `--${boundary}`;
  const lines = new TextLines(maxLength);
  const parts = new Parts(delimiter, maxLength);
  for await (const bytes of body)
    for (const message of messagesIn(bytes)) {
      yield message;
      if (message.kind === 'complete') return;
    }

  function* messagesIn(bytes: Uint8Array): Generator<StreamMessage, void, undefined> {
    for (const line of lines.push(bytes)) yield* parts.line(line);
    const unfinished = lines.unfinished(delimiter.length + 2) ?? '';
    if (unfinished.startsWith(delimiter)) yield* parts.delimiter(unfinished);
  }
}

class Parts {
  readonly #delimiter: string;
  readonly #maxLength: number;
  #place: 'before' | 'headers' | 'body' = 'before';
  #body: string[] = [];
  #length = 0;
  /** The delimiter was seen before its line had ended. */
  #isSeen = false;

  constructor(delimiter: string, maxLength: number) {
    this.#delimiter = delimiter;
    this.#maxLength = maxLength;
  }

  *line(line: string): Generator<StreamMessage, void, undefined> {
    if (this.#isDelimiter(line)) {
      yield* this.delimiter(line);
      this.#isSeen = false;
      this.#place = 'headers';
    } else if (this.#place === 'headers') {
      if (line === '') this.#place = 'body';
    } else if (this.#place === 'body') this.#keep(line);
  }

  /** @param line its beginning at least */
  *delimiter(line: string): Generator<StreamMessage, void, undefined> {
    const message = this.#isSeen ? undefined : this.#take();
    this.#isSeen = true;
    if (message) yield message;
    if (line.startsWith(`${this.#delimiter}--`)) yield { kind: 'complete' };
  }

  #isDelimiter(line: string): boolean {
    if (!line.startsWith(this.#delimiter)) return false;
    const rest = line.slice(this.#delimiter.length).trim();
    return rest === '' || rest === '--';
  }

  #keep(line: string): void {
    this.#length += line.length + 1;
    if (this.#length > this.#maxLength) throw new EventTooLarge(this.#maxLength);
    this.#body.push(line);
  }

  #take(): StreamMessage | undefined {
    const text = this.#body.join('\n').trim();
    this.#body = [];
    this.#length = 0;
    return text === '' ? undefined : messageOf(JSON.parse(text) as unknown);
  }
}

/** `{}` is a heartbeat; what ends the stream has its errors beside the payload; some servers send responses as they are. */
function messageOf(part: unknown): StreamMessage | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  if ('payload' in part && part.payload !== null) return { kind: 'next', payload: part.payload };
  if ('errors' in part || 'data' in part) return { kind: 'next', payload: part };
  return undefined;
}
