import { CompactSign, exportJWK, generateKeyPair, importJWK } from 'jose';
import { z } from 'zod';
import { ALGORITHM, keyIdOf, publicKey, type PublicKey } from './public-key.ts';
import { RegistryError } from './registry-error.ts';
import { encodeRecord, type RegistryRecord } from './registry-record.ts';
import { MAX_RECORD_BYTES } from './registry-store.ts';

/** The `typ` of records. RFC 7515 §4.1.9 */
export const RECORD_TYPE = 'trellis-record+jws';

/** Signs records with the release key of an environment. */
export interface RecordSigner {
  readonly publicKey: PublicKey;
  /** RFC 7638 thumbprint. */
  readonly keyId: string;
  /**
   * @returns a compact JWS (RFC 7515 §7.1)
   * @throws RegistryError TOO_LARGE
   */
  sign(record: RegistryRecord): Promise<string>;
}

/** A release key with its private part. */
export type PrivateKey = PublicKey & { readonly d: string };

const privateKey = z.object({ d: z.string().regex(/^[A-Za-z0-9_-]{43}$/) });

/** A new release key. */
export async function generateRecordKey(): Promise<PrivateKey> {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  return parsePrivateKey(await exportJWK(pair.privateKey));
}

/**
 * A signer for a private JWK, as `trellis keys new` prints it.
 *
 * @throws RegistryError INVALID_KEY; the key is in no message
 */
export async function createRecordSigner(json: string): Promise<RecordSigner> {
  const jwk = readPrivateKey(json);
  const { kty, crv, x } = jwk;
  const own: PublicKey = { kty, crv, x };
  const keyId = await keyIdOf(own);
  const key = await importJWK({ ...jwk }, ALGORITHM);
  return {
    publicKey: own,
    keyId,
    sign: async (record) => {
      const payload = Buffer.from(encodeRecord(record), 'utf8');
      const jws = await new CompactSign(payload)
        .setProtectedHeader({ alg: ALGORITHM, kid: keyId, typ: RECORD_TYPE })
        .sign(key);
      if (jws.length > MAX_RECORD_BYTES)
        throw new RegistryError('TOO_LARGE', `A record of ${jws.length} bytes exceeds ${MAX_RECORD_BYTES}.`);
      return jws;
    },
  };
}

function readPrivateKey(json: string): PrivateKey {
  try {
    return parsePrivateKey(JSON.parse(json) as unknown);
  } catch {
    throw new RegistryError(
      'INVALID_KEY',
      'The signing key is no private Ed25519 JWK. Make one with: trellis keys new',
    );
  }
}

function parsePrivateKey(value: unknown): PrivateKey {
  return { ...publicKey.parse(value), ...privateKey.parse(value) };
}
