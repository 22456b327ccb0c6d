import { calculateJwkThumbprint, importJWK, type CryptoKey } from 'jose';
import { z } from 'zod';
import { RegistryError } from './registry-error.ts';

/** An Ed25519 key that verifies records, as a JWK. RFC 8037 §2 */
export interface PublicKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
}

/** The algorithm of all signatures. RFC 9864 */
export const ALGORITHM = 'Ed25519';

/** Reads a {@link PublicKey}; what else a JWK says is dropped, its private part too. */
export const publicKey: z.ZodType<PublicKey> = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});

/** Reads the keys of a set, 1 to 16. */
export const publicKeys: z.ZodType<readonly PublicKey[]> = z.array(publicKey).min(1).max(16);

const keySet = z.object({ keys: publicKeys });

/** The keys whose records count, by RFC 7638 thumbprint. */
export class TrustedKeys {
  readonly keys: readonly PublicKey[];
  readonly #byId: ReadonlyMap<string, CryptoKey | Uint8Array>;

  private constructor(keys: readonly PublicKey[], byId: ReadonlyMap<string, CryptoKey | Uint8Array>) {
    this.keys = Object.freeze([...keys]);
    this.#byId = byId;
  }

  /** @throws RegistryError INVALID_KEY */
  static async from(keys: readonly PublicKey[]): Promise<TrustedKeys> {
    const entries = keys.map(async (key) => [await keyIdOf(key), await importPublicKey(key)] as const);
    return new TrustedKeys(keys, new Map(await Promise.all(entries)));
  }

  /**
   * Reads a JWK set (RFC 7517 §5), or one JWK.
   *
   * @throws RegistryError INVALID_KEY
   */
  static async parse(json: string): Promise<TrustedKeys> {
    return TrustedKeys.from(parseKeys(json));
  }

  /** The key of an id. Undefined: not trusted. */
  find(keyId: string): CryptoKey | Uint8Array | undefined {
    return this.#byId.get(keyId);
  }

  /** The ids of all keys. */
  get keyIds(): readonly string[] {
    return [...this.#byId.keys()];
  }
}

/** RFC 7638 thumbprint, SHA-256. */
export function keyIdOf(key: PublicKey): Promise<string> {
  return calculateJwkThumbprint({ ...key });
}

function parseKeys(json: string): readonly PublicKey[] {
  try {
    const document: unknown = JSON.parse(json);
    const set = keySet.safeParse(document);
    return set.success ? set.data.keys : [publicKey.parse(document)];
  } catch (error) {
    throw new RegistryError('INVALID_KEY', 'The text is no JWK set of 1 to 16 Ed25519 keys.', {
      cause: error,
    });
  }
}

async function importPublicKey(key: PublicKey): Promise<CryptoKey | Uint8Array> {
  try {
    return await importJWK({ ...key }, ALGORITHM);
  } catch (error) {
    throw new RegistryError('INVALID_KEY', 'A trusted key is no Ed25519 key.', { cause: error });
  }
}
