/** A message of a PostgreSQL client (PostgreSQL's documentation, "Message Formats"). */
export interface ClientMessage {
  /** `Q` simple query, `P` parse, `B` bind, `E` execute, … */
  readonly type: string;
  readonly content: Buffer;
}

const LENGTH_BYTES = 4;

/** Cuts the stream of one client into messages. The first, which has no type, has the client's parameters. */
export class ClientMessageReader {
  #rest: Buffer = Buffer.alloc(0);
  #started = false;
  /** The start-up parameters by name; empty until they have come. */
  parameters: Readonly<Record<string, string>> = {};

  /** @returns the messages that are complete now */
  read(chunk: Buffer): readonly ClientMessage[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    if (!this.#started) this.#readStart();
    const messages: ClientMessage[] = [];
    while (this.#started && this.#rest.length > LENGTH_BYTES) {
      const end = 1 + this.#rest.readInt32BE(1);
      if (this.#rest.length < end) break;
      messages.push({
        type: this.#rest.toString('latin1', 0, 1),
        content: this.#rest.subarray(1 + LENGTH_BYTES, end),
      });
      this.#rest = this.#rest.subarray(end);
    }
    return messages;
  }

  #readStart(): void {
    if (this.#rest.length < LENGTH_BYTES) return;
    const end = this.#rest.readInt32BE(0);
    if (this.#rest.length < end) return;
    const words = this.#rest.toString('utf8', 2 * LENGTH_BYTES, end).split('\0');
    const pairs = words.flatMap((word, index) =>
      index % 2 === 0 && word !== '' ? [[word, words[index + 1]]] : [],
    );
    this.parameters = Object.fromEntries(pairs) as Record<string, string>;
    this.#rest = this.#rest.subarray(end);
    this.#started = true;
  }
}

/** The strings that a message begins with, each of which ends with a zero byte. */
export function leadingStrings({ content }: ClientMessage, count: number): readonly string[] {
  return content.toString('utf8').split('\0', count);
}
