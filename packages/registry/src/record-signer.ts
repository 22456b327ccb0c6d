import { CompactSign, exportJWK, generateKeyPair, importJWK } from 'jose';
import { z } from 'zod';
import { ALGORITHM, keyIdOf, publicKey, TrustedKeys, type PublicKey } from './public-key.ts';
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

/** Signers, the preferred one first. */
export interface RecordSigners {
  readonly signer: RecordSigner;
  /** Used in order where a log does not trust the first: keys that come or go. */
  readonly otherSigners: readonly RecordSigner[];
}

/** The trust in all of them. */
export function trustIn({ signer, otherSigners }: RecordSigners): Promise<TrustedKeys> {
  return TrustedKeys.from([signer, ...otherSigners].map((one) => one.publicKey));
}

const MAX_KEYS = 16;
/** Where one JWK ends, and the next begins. No member of a JWK is an object. */
const BETWEEN_KEYS = /(?<=\})\s+(?=\{)/;

/**
 * Signers for the keys of a variable or a file: one private JWK, several separated by white space, or a JWK set of them (RFC 7517 §5).
 * While a key is replaced there are two.
 *
 * @throws RegistryError INVALID_KEY; the keys are in no message
 */
export async function createRecordSigners(text: string): Promise<RecordSigners> {
  const [signer, ...otherSigners] = await Promise.all(keyTextsIn(text).map(createRecordSigner));
  if (!signer) throw invalidKey();
  return { signer, otherSigners };
}

function keyTextsIn(text: string): readonly string[] {
  const texts = keysOfSet(text) ?? text.trim().split(BETWEEN_KEYS);
  if (texts.length > MAX_KEYS) throw invalidKey();
  return texts;
}

function keysOfSet(text: string): readonly string[] | undefined {
  try {
    return keySet.parse(JSON.parse(text)).keys.map((key) => JSON.stringify(key));
  } catch {
    return undefined; // it is no set: the keys are read by themselves
  }
}

const keySet = z.object({ keys: z.array(z.unknown()) });

function readPrivateKey(json: string): PrivateKey {
  try {
    return parsePrivateKey(JSON.parse(json) as unknown);
  } catch {
    throw invalidKey();
  }
}

/** Without what it was made of. */
function invalidKey(): RegistryError {
  return new RegistryError(
    'INVALID_KEY',
    'The signing key is no private Ed25519 JWK. Make one with: trellis keys new',
  );
}

function parsePrivateKey(value: unknown): PrivateKey {
  return { ...publicKey.parse(value), ...privateKey.parse(value) };
}
