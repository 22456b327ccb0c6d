/** A stream sent more than one event may have. */
export class EventTooLarge extends Error {
  override name = 'EventTooLarge';

  constructor(maxLength: number) {
    super(`An event has more than ${maxLength} characters.`);
  }
}

/** Splits a text that comes in pieces into lines, which end in LF, CR LF or CR. What is not ended yet is bounded. */
export class TextLines {
  readonly #maxLength: number;
  readonly #decoder = new TextDecoder();
  #pieces: string[] = [];
  #length = 0;
  #endedWithCr = false;

  /** @param maxLength characters of a line */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /**
   * @returns the lines that end in this piece, without their ends
   * @throws EventTooLarge
   */
  push(bytes: Uint8Array): string[] {
    const lines = this.#unified(this.#decoder.decode(bytes, { stream: true })).split('\n');
    const rest = lines.pop() ?? '';
    const [first] = lines;
    if (first !== undefined) {
      lines[0] = this.#pieces.join('') + first;
      this.#pieces = [];
      this.#length = 0;
    }
    this.#keep(rest);
    return lines;
  }

  /** The line that has not ended, where it is short enough to be asked for at each piece. */
  unfinished(maxLength: number): string | undefined {
    return this.#length <= maxLength ? this.#pieces.join('') : undefined;
  }

  #keep(rest: string): void {
    if (rest === '') return;
    this.#pieces.push(rest);
    this.#length += rest.length;
    if (this.#length > this.#maxLength) throw new EventTooLarge(this.#maxLength);
  }

  /** With LF as the only end of a line. CR and LF may come in two pieces. */
  #unified(text: string): string {
    if (text === '') return text;
    const rest = this.#endedWithCr && text.startsWith('\n') ? text.slice(1) : text;
    this.#endedWithCr = text.endsWith('\r');
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest;
  }
}
