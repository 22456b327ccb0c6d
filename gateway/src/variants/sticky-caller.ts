import { createHmac } from 'node:crypto';
import { clientOf, userOf, type Caller } from '../identity/caller.ts';

/** As many callers are distinguished: 2^48. */
const HASHES = 2 ** 48;
const HASH_BYTES = 6;

/**
 * Places callers by chance, and each always at the same place: the user; else the OAuth client together with the network address,
 * so that one server's requests are one caller. It can't be found out from a place who has it.
 */
export class StickyCallers {
  readonly #key: string;

  /** @param key what callers are placed for: other places for another key */
  constructor(key: string) {
    this.#key = key;
  }

  /** Names a caller by a number: 48 bits. */
  hashOf(caller: Caller, address: string): number {
    const user = userOf(caller);
    const name =
      user === undefined
        ? JSON.stringify(['client', clientOf(caller) ?? '', address])
        : JSON.stringify(['user', user]);
    return createHmac('sha256', this.#key).update(name).digest().readUIntBE(0, HASH_BYTES);
  }
}

/** Where a hash stands, from 0 up to 1. What is placed below a share stays below a larger one. */
export function placeOf(hash: number): number {
  return hash / HASHES;
}
