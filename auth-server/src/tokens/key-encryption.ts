import { CompactEncrypt, compactDecrypt, type JWK } from 'jose';

/** Encrypts private keys at rest. */
export interface KeyEncryption {
  encrypt(privateJwk: JWK): Promise<string>;
  /** @throws Error when the secret is another than the one it was encrypted under */
  decrypt(jwe: string): Promise<JWK>;
}

/** Encryption as a compact JWE: A256GCM under a key of 32 bytes, used directly. RFC 7516 */
export function createKeyEncryption(key: Buffer): KeyEncryption {
  return {
    encrypt: (privateJwk) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(privateJwk)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .encrypt(key),
    decrypt: async (jwe) => JSON.parse(Buffer.from(await decryptJwe(jwe, key)).toString()) as JWK,
  };
}

async function decryptJwe(jwe: string, key: Buffer): Promise<Uint8Array> {
  try {
    return (await compactDecrypt(jwe, key)).plaintext;
  } catch (error) {
    throw new Error('A signing key in the database was encrypted under another KEY_ENCRYPTION_SECRET.', {
      cause: error,
    });
  }
}
