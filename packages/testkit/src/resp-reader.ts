/** What stands in one message of RESP: text, a number of items, nested. Errors, numbers and texts keep their type's sign. */
export type RespMessage = string | readonly RespMessage[];

const LINE_END = '\r\n';

/** Reads messages of RESP2 and RESP3 as they arrive, in pieces of any size. */
export class RespReader {
  #buffered = '';

  /** @returns the messages that are complete now */
  push(chunk: Buffer): readonly RespMessage[] {
    this.#buffered += chunk.toString('latin1');
    const messages: RespMessage[] = [];
    for (;;) {
      const read = readMessage(this.#buffered, 0);
      if (!read) return messages;
      messages.push(read.message);
      this.#buffered = this.#buffered.slice(read.end);
    }
  }
}

interface Read {
  readonly message: RespMessage;
  readonly end: number;
}

function readMessage(text: string, at: number): Read | undefined {
  const lineEnd = text.indexOf(LINE_END, at);
  if (lineEnd === -1) return undefined;
  const [type, line, next] = [text.charAt(at), text.slice(at + 1, lineEnd), lineEnd + LINE_END.length];
  if (line === '-1') return { message: '_', end: next };
  if (type === '$' || type === '=') return readBulk(text, next, Number(line));
  if (type === '*' || type === '~' || type === '>') return readItems(text, next, type, Number(line));
  if (type === '%') return readItems(text, next, type, Number(line) * 2);
  return { message: type + line, end: next };
}

function readBulk(text: string, at: number, length: number): Read | undefined {
  const end = at + length + LINE_END.length;
  return text.length < end ? undefined : { message: `$${text.slice(at, at + length)}`, end };
}

function readItems(text: string, at: number, type: string, count: number): Read | undefined {
  const items: RespMessage[] = [type];
  let end = at;
  while (items.length <= count) {
    const read = readMessage(text, end);
    if (!read) return undefined;
    items.push(read.message);
    ({ end } = read);
  }
  return { message: items, end };
}
