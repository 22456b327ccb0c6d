import { hash } from 'node:crypto';

/** Bits for each password: one text in some 100 million that is none of them passes for one. */
const BITS_EACH = 24;
const HASHES = 16;

/** A Bloom filter over passwords. */
export interface PasswordFilter {
  /** Whether it may be one of them; false is certain. */
  has(password: string): boolean;
}

/** Makes the bytes of a filter. */
export function fillPasswordFilter(passwords: ReadonlySet<string>): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((passwords.size * BITS_EACH) / 8));
  for (const password of passwords)
    for (const bit of bitsOf(password, bytes.length * 8))
      bytes[bit >> 3] = byteAt(bytes, bit) | (1 << (bit & 7));
  return bytes;
}

/** Reads a filter. */
export function readPasswordFilter(bytes: Uint8Array): PasswordFilter {
  return {
    has: (password) => {
      for (const bit of bitsOf(password, bytes.length * 8))
        if ((byteAt(bytes, bit) & (1 << (bit & 7))) === 0) return false;
      return true;
    },
  };
}

function byteAt(bytes: Uint8Array, bit: number): number {
  return bytes[bit >> 3] ?? 0;
}

/** Two halves of one digest stand for as many hashes as are needed. Kirsch, Mitzenmacher: Less Hashing, Same Performance. */
function* bitsOf(password: string, size: number): Generator<number> {
  const digest = hash('sha256', password, 'buffer');
  const [start, step] = [digest.readUInt32BE(0), digest.readUInt32BE(4)];
  for (let index = 0; index < HASHES; index += 1) yield (start + index * step) % size;
}
