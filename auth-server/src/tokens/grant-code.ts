import { randomBytes } from 'node:crypto';
import { randomToken, sha256 } from '../secrets/secrets.ts';

/** Which code it is: one for authorization, or one for a device. The prefix keeps them from being confused. */
export type GrantCodeKind = 'ac' | 'dc';

/** What a code says: the grant that it begins, and a secret that is stored as a hash. */
export interface GrantCode {
  readonly grantId: string;
  readonly secretHash: string;
}

const CODE = /^(ac|dc)_([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{43})$/;

/** An id for a grant: 128 random bits in base64url, never beginning with a dash, so that it is easy on command lines. */
export function newGrantId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? newGrantId() : id;
}

/** A new code of 256 random bits for a grant. RFC 6749 §10.10 */
export function newGrantCode(
  kind: GrantCodeKind,
  grantId: string,
): { readonly code: string; readonly secretHash: string } {
  const secret = randomToken();
  return { code: `${kind}_${grantId}${secret}`, secretHash: sha256(secret) };
}

/** Undefined for a text that can't be a code of the kind. */
export function parseGrantCode(kind: GrantCodeKind, code: string): GrantCode | undefined {
  const [, prefix, grantId, secret] = CODE.exec(code) ?? [];
  if (prefix !== kind || grantId === undefined || secret === undefined) return undefined;
  return { grantId, secretHash: sha256(secret) };
}
