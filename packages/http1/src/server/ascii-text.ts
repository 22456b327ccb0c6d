/** Strings beyond 128 KiB get memory of their own from V8, fetched from the system for each; four of these share a page of it. */
const PIECE_CHARACTERS = 61_440;

/** A long text of one byte a character, in pieces that are short enough for the memory that V8 uses again. */
export class AsciiText {
  readonly pieces: readonly string[];
  /** Characters, which are bytes. */
  readonly length: number;

  private constructor(pieces: readonly string[], length: number) {
    this.pieces = pieces;
    this.length = length;
  }

  /** Copies the bytes. @param bytes in ASCII */
  static of(bytes: Buffer): AsciiText {
    const pieces: string[] = [];
    for (let at = 0; at < bytes.length; at += PIECE_CHARACTERS)
      pieces.push(bytes.toString('latin1', at, at + PIECE_CHARACTERS));
    return new AsciiText(pieces, bytes.length);
  }

  toString(): string {
    return this.pieces.join('');
  }
}
