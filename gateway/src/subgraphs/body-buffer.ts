const MIN_BYTES = 1_024;
/** What a subgraph announces is believed up to here; beyond, memory is taken as the body arrives. */
const MAX_FIRST_BYTES = 1_048_576;

/** Puts a body together from what is read into memory that is used again. */
export class BodyBuffer {
  #bytes: Buffer;
  #length = 0;

  /** @param announced its length, where that is known */
  constructor(announced: number = MIN_BYTES) {
    this.#bytes = Buffer.allocUnsafe(Math.min(announced, MAX_FIRST_BYTES));
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Copies what was read. */
  add(read: Buffer): void {
    const length = this.#length + read.length;
    if (length > this.#bytes.length) this.#grow(length);
    read.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** The body. Nothing can be added any more. */
  take(): Buffer {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(length, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
