import { TOKEN } from '../fields.ts';
import { BrokenResponse } from './exchange.ts';
import { assertFieldLines } from './response-head.ts';

/** The size, and extensions without blanks. RFC 9112 §7.1.1 */
const SIZE_LINE = new RegExp(
  String.raw`^([0-9a-f]{1,8})(?:;${TOKEN}(?:=(?:${TOKEN}|"[\t !#-[\]-~\x80-\xff]*"))?)*$`,
  'i',
);
/** A trailer that says where the message ends: it comes too late. RFC 9110 §6.5.1 */
const FRAMING = /^(?:content-length|transfer-encoding):/i;
const MAX_LINE_CHARACTERS = 4_096;
/** Of all chunks together. No one here reads them. */
const MAX_EXTENSION_CHARACTERS = 16_384;
const MAX_TRAILER_CHARACTERS = 16_384;
const LINE_FEED = 10;

/** Reads a body in chunks, however it is cut into reads. RFC 9112 §7.1. */
export class ChunkedBody {
  #expects: 'size' | 'data' | 'end of data' | 'trailer' = 'size';
  #line = '';
  #remaining = 0;
  #extensionCharacters = 0;
  #trailerCharacters = 0;

  /**
   * @param onData called with the data; its argument is valid during the call only
   * @returns where the body ends in these bytes; -1 where there is more to come
   * @throws BrokenResponse
   */
  read(bytes: Buffer, from: number, onData: (data: Buffer) => void): number {
    let at = from;
    while (at < bytes.length) {
      if (this.#expects === 'data') {
        const end = Math.min(bytes.length, at + this.#remaining);
        onData(bytes.subarray(at, end));
        this.#remaining -= end - at;
        if (this.#remaining === 0) this.#expects = 'end of data';
        at = end;
        continue;
      }
      const end = bytes.indexOf(LINE_FEED, at);
      this.#line += bytes.toString('latin1', at, end === -1 ? bytes.length : end);
      if (this.#line.length > MAX_LINE_CHARACTERS) throw new BrokenResponse('A line is too long.');
      if (end === -1) return -1;
      at = end + 1;
      if (this.#endLine()) return at;
    }
    return -1;
  }

  /** @returns whether the body has ended */
  #endLine(): boolean {
    if (!this.#line.endsWith('\r')) throw new BrokenResponse('A line does not end as it must.');
    const line = this.#line.slice(0, -1);
    this.#line = '';
    switch (this.#expects) {
      case 'size':
        this.#readSize(line);
        return false;
      case 'end of data':
        if (line !== '') throw new BrokenResponse('A chunk is longer than it says.');
        this.#expects = 'size';
        return false;
      default:
        this.#readTrailer(line);
        return line === '';
    }
  }

  #readTrailer(line: string): void {
    if (line === '') return;
    this.#trailerCharacters += line.length;
    if (this.#trailerCharacters > MAX_TRAILER_CHARACTERS)
      throw new BrokenResponse('There are too many trailers.');
    if (FRAMING.test(line))
      throw new BrokenResponse('The length of a body is malformed: it is in a trailer.');
    assertFieldLines(`\r\n${line}`);
  }

  #readSize(line: string): void {
    const [, digits] = SIZE_LINE.exec(line) ?? [];
    if (digits === undefined) throw new BrokenResponse('The size of a chunk is malformed.');
    this.#extensionCharacters += line.length - digits.length;
    if (this.#extensionCharacters > MAX_EXTENSION_CHARACTERS)
      throw new BrokenResponse('The extensions of chunks are too large.');
    this.#remaining = Number.parseInt(digits, 16);
    this.#expects = this.#remaining === 0 ? 'trailer' : 'data';
  }
}
