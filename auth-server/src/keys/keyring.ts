import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JSONWebKeySet, JWK } from 'jose';
import type { SigningAlgorithm, SigningKeyStore, StoredSigningKey } from './signing-key-store.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { SigningKey } from './signing-key.ts';

/** The signing keys as one instance holds them in memory. */
export interface Keyring {
  /** The key that signs now. @throws Error when none is loaded */
  active(algorithm: SigningAlgorithm): SigningKey;
  /** The public key of any key that is published. */
  publicKey(kid: string): { readonly algorithm: SigningAlgorithm; readonly key: KeyObject } | undefined;
  /** The published set. RFC 7517 */
  readonly jwks: JSONWebKeySet;
  /** Reads the keys again, which other instances may have changed. */
  reload(): Promise<void>;
}

interface LoadedKey {
  readonly signing: SigningKey;
  readonly state: StoredSigningKey['state'];
  readonly publicJwk: JWK;
  readonly publicKey: KeyObject;
}

/** Loads the keys. @throws Error when they can't be decrypted */
export async function createKeyring(store: SigningKeyStore, encryption: KeyEncryption): Promise<Keyring> {
  let keys: ReadonlyMap<string, LoadedKey> = new Map();
  let jwks: JSONWebKeySet = { keys: [] };

  const reload = async (): Promise<void> => {
    const stored = await store.list();
    const loaded = await Promise.all(stored.map((key) => loadKey(key, keys.get(key.kid), encryption)));
    keys = new Map(loaded.map((key) => [key.signing.kid, key]));
    jwks = Object.freeze({ keys: loaded.map(({ publicJwk }) => publicJwk) });
  };
  await reload();
  return {
    active: (algorithm) => {
      for (const { signing, state } of keys.values())
        if (signing.algorithm === algorithm && state === 'active') return signing;
      throw new Error(`There is no active ${algorithm} key.`);
    },
    publicKey: (kid) => {
      const key = keys.get(kid);
      return key && { algorithm: key.signing.algorithm, key: key.publicKey };
    },
    get jwks() {
      return jwks;
    },
    reload,
  };
}

/** Decrypts a key once; afterwards only its state changes. */
async function loadKey(
  stored: StoredSigningKey,
  known: LoadedKey | undefined,
  encryption: KeyEncryption,
): Promise<LoadedKey> {
  if (known) return { ...known, state: stored.state };
  const privateJwk = await encryption.decrypt(stored.privateJwe);
  const privateKey = createPrivateKey({ key: { ...privateJwk }, format: 'jwk' });
  return {
    signing: new SigningKey(stored.kid, stored.algorithm, privateKey),
    state: stored.state,
    publicJwk: stored.publicJwk,
    publicKey: createPublicKey({ key: { ...stored.publicJwk }, format: 'jwk' }),
  };
}
