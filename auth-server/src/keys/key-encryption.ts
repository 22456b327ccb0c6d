import { CompactEncrypt, compactDecrypt, type JWK } from 'jose';
import { StartupError } from '@trellis/runtime';
import type { Keys } from '../secrets/secrets.ts';

/** Encrypts private keys at rest. */
export interface KeyEncryption {
  encrypt(privateJwk: JWK): Promise<string>;
  /** @throws StartupError when it was encrypted under none of the secrets */
  decrypt(jwe: string): Promise<JWK>;
  /** Whether it is encrypted under the newest secret. */
  isCurrent(jwe: string): Promise<boolean>;
}

/**
 * Encryption as a compact JWE: A256GCM under a key of 32 bytes, used directly. RFC 7516
 *
 * @param keys the first encrypts, all of them decrypt
 */
export function createKeyEncryption(keys: Keys): KeyEncryption {
  return {
    encrypt: (privateJwk) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(privateJwk)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .encrypt(keys[0]),
    decrypt: async (jwe) => JSON.parse(Buffer.from(await decryptJwe(jwe, keys)).toString()) as JWK,
    isCurrent: (jwe) =>
      compactDecrypt(jwe, keys[0]).then(
        () => true,
        () => false,
      ),
  };
}

const OTHER_SECRET = `A signing key in the database was encrypted under another KEY_ENCRYPTION_SECRET. Add that secret behind the new one, \
separated by a space. If it is lost, delete the rows of auth.signing_key: all users sign in again (docs/auth-operations.md).`;

async function decryptJwe(jwe: string, keys: Keys): Promise<Uint8Array> {
  try {
    return await Promise.any(keys.map(async (key) => (await compactDecrypt(jwe, key)).plaintext));
  } catch (error) {
    throw new StartupError(OTHER_SECRET, { cause: error });
  }
}
