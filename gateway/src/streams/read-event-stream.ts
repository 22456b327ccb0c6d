import { EventTooLarge, TextLines } from './text-lines.ts';
import type { StreamMessage } from './upstream-transport.ts';

/**
 * Reads the responses that a subgraph sends as server-sent events: GraphQL over SSE, distinct connections. An event without
 * a name is taken for `next`, as some servers send none; comments and other events say that the connection lives.
 *
 * @param maxLength characters of an event
 * @throws EventTooLarge, SyntaxError where an event is no JSON
 */
export async function* readEventStream(
  body: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<StreamMessage, void, undefined> {
  const lines = new TextLines(maxLength);
  const event = new PendingEvent(maxLength);
  for await (const bytes of body)
    for (const line of lines.push(bytes)) {
      const message = line === '' ? event.dispatch() : event.read(line);
      if (message) yield message;
      if (message?.kind === 'complete') return;
    }
}

/** An event whose lines are coming. HTML §9.2.6. */
class PendingEvent {
  readonly #maxLength: number;
  #name = '';
  #data: string[] = [];
  #length = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  read(line: string): undefined {
    const { name, value } = fieldOf(line);
    if (name === 'event') this.#name = value;
    if (name !== 'data') return;
    this.#length += value.length + 1;
    if (this.#length > this.#maxLength) throw new EventTooLarge(this.#maxLength);
    this.#data.push(value);
  }

  dispatch(): StreamMessage | undefined {
    const name = this.#name;
    const data = this.#data.join('\n');
    this.#name = '';
    this.#data = [];
    this.#length = 0;
    if (name === 'complete') return { kind: 'complete' };
    const isNext = name === 'next' || name === '' || name === 'message';
    return isNext && data !== '' ? { kind: 'next', payload: JSON.parse(data) as unknown } : undefined;
  }
}

function fieldOf(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':');
  if (colon === -1) return { name: line, value: '' };
  const begin = line[colon + 1] === ' ' ? colon + 2 : colon + 1;
  return { name: line.slice(0, colon), value: line.slice(begin) };
}
