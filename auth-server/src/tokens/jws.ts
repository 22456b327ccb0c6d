import { sign, type KeyObject } from 'node:crypto';
import type { SigningAlgorithm } from '../stores/signing-key-store.ts';

/** A private key that signs tokens. */
export interface SigningKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
}

/**
 * Signs claims as a compact JWT.
 *
 * Synchronous on purpose: an ES256 signature takes tens of microseconds, less than the way to a worker thread and back.
 *
 * @param typ media type in the header: `at+jwt`, `JWT`, `logout+jwt`
 */
export function signJwt(claims: Readonly<Record<string, unknown>>, typ: string, key: SigningKey): string {
  const header = encode({ alg: key.algorithm, typ, kid: key.kid });
  const input = `${header}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
