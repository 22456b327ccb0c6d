import { randomBytes } from 'node:crypto';
import { randomToken, sha256 } from '../secrets.ts';

/** What an authorization code says: the grant that it begins, and a secret that is stored as a hash. */
export interface AuthorizationCode {
  readonly grantId: string;
  readonly secretHash: string;
}

const CODE = /^ac_([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{43})$/;

/** An id for a grant: 128 random bits in base64url, never beginning with a dash, so that it is easy on command lines. */
export function newGrantId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? newGrantId() : id;
}

/** A new code of 256 random bits for a grant. RFC 6749 §10.10 */
export function newAuthorizationCode(grantId: string): {
  readonly code: string;
  readonly secretHash: string;
} {
  const secret = randomToken();
  return { code: `ac_${grantId}${secret}`, secretHash: sha256(secret) };
}

/** Undefined for a text that can't be a code. */
export function parseAuthorizationCode(code: string): AuthorizationCode | undefined {
  const [, grantId, secret] = CODE.exec(code) ?? [];
  if (grantId === undefined || secret === undefined) return undefined;
  return { grantId, secretHash: sha256(secret) };
}
