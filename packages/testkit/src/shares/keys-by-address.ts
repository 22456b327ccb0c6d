import { describe, expect, it } from 'vitest';
import { filesWith } from './files-with.ts';

/** Files, and what they may do with addresses. */
export type AllowedFiles = Readonly<Record<string, string>>;

/** What a deployable may do with addresses, and where. */
export interface AddressRules {
  /** Its sources. */
  readonly folder: string;
  /** Which files read the address of a request or a connection, and what for. */
  readonly reads: AllowedFiles;
  /** Which files look something up by an address as it is, and why that is no share. */
  readonly keys: AllowedFiles;
  /** Which files make keys of the networks of an address, and what is shared by them. */
  readonly networks: AllowedFiles;
}

const READS = /\bremoteAddress\b|\brequest\.ip\b|\bip: \w*[aA]ddress\b|\{ (?:[\w, ]+, )?ip\b/;
/** `ip`, `request.ip`, `clientAddress`, `socket?.remoteAddress`. */
const ADDRESS = /(?:\w+\??\.)*(?:ip|\w*[aA]ddress)\b/.source;
const METHODS = 'get|set|has|add|delete|take|charge|reserve|tryAcquire|acquire|consume';
/** `.get(address`, `.set(request.ip`, `keys: [address`, `user:${address}`. */
const KEYS = new RegExp(
  `\\.(?:${METHODS})\\(\`?(?:\\$\\{)?${ADDRESS}|\\bkeys: \\[\`?(?:\\$\\{)?${ADDRESS}|\\w:\\$\\{${ADDRESS}\\}`,
);
const NETWORKS = /\b(?:shareKeysOf(?:Caller)?|clientNetworkOf)\(/;

/**
 * Defines tests that nothing is counted by an address but through its networks, and that each file that counts by networks is known: what is
 * shared is in the table of `testShares`.
 */
export function testKeysByAddress({ folder, reads, keys, networks }: AddressRules): void {
  describe('Addresses', () => {
    it.each([
      ['are read', READS, reads],
      ['are keys as they are', KEYS, keys],
      ['become networks', NETWORKS, networks],
    ])('%s where it is said, and nowhere else', (_what, pattern, allowed) => {
      expect(filesWith(folder, pattern)).toEqual(Object.keys(allowed).toSorted());
    });
  });
}
