import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { writePrivateFile } from '../platform/private-file.ts';

/** A developer's own key, by which subgraphs know the gateway on a developer's machine: never production's. */
export interface DeveloperKey {
  /** A private JWK, as USER_CONTEXT_PRIVATE_KEY takes it. */
  readonly privateKey: string;
  /** A JSON Web Key Set for subgraphs: USER_CONTEXT_JWKS of one's own, USER_CONTEXT_DEVELOPER_JWKS of deployed ones. */
  readonly publicKeys: string;
}

/**
 * Reads the key of a file, which its owner alone may read; the first time, makes it.
 *
 * @throws Error where the file can't be read or written, or holds something else
 */
export async function openDeveloperKey(file: string): Promise<DeveloperKey> {
  const key = readKey(file) ?? (await makeKey(file));
  const { kty, crv, x, y, kid } = key;
  const publicKey = { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' };
  return { privateKey: JSON.stringify(key), publicKeys: JSON.stringify({ keys: [publicKey] }) };
}

function readKey(file: string): JWK | undefined {
  try {
    const key = (JSON.parse(readFileSync(file, 'utf8')) ?? {}) as JWK; // looked at below
    if (key.kty !== 'EC' || key.crv !== 'P-256' || typeof key.d !== 'string')
      throw new Error(`${file} holds no private JWK of curve P-256.`);
    return key;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error instanceof SyntaxError ? new Error(`${file} is no JSON.`, { cause: error }) : error;
  }
}

async function makeKey(file: string): Promise<JWK> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const kid = `developer-${await calculateJwkThumbprint(publicKey)}`;
  const key = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid };
  mkdirSync(dirname(file), { recursive: true });
  writePrivateFile(file, key);
  return key;
}
