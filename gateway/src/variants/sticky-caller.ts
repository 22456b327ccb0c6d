import { createHmac } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { clientNetworkOf } from '@trellis/runtime/admission';
import { clientOf, userOf, type Caller } from '../identity/caller.ts';

/** As many callers are distinguished: 2^48. */
const HASHES = 2 ** 48;
const HASH_BYTES = 6;

/**
 * Places callers by chance, and each always at the same place: the user; else the OAuth client together with the network address,
 * so that one server's requests are one caller. Of IPv6 the address is the /64, in which one customer has as many as they like. It can't be
 * found out from a place who has it.
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
        ? JSON.stringify(['client', clientOf(caller) ?? '', isIPv4(address) ? address : networkOf(address)])
        : JSON.stringify(['user', user]);
    return createHmac('sha256', this.#key).update(name).digest().readUIntBE(0, HASH_BYTES);
  }
}

function networkOf(text: string): string {
  const { address, prefixes } = clientNetworkOf(text);
  return isIPv4(address) ? address : (prefixes[0] ?? address); // of IPv6 that carries IPv4, that
}

/** Where a hash stands, from 0 up to 1. What is placed below a share stays below a larger one. */
export function placeOf(hash: number): number {
  return hash / HASHES;
}
