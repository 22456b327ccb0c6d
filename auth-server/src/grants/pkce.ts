import { equalsConstantTime, sha256 } from '../secrets/secrets.ts';

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;
const S256_CHALLENGE = /^[A-Za-z0-9\-_]{43}$/;

/** Whether a verifier has the grammar of RFC 7636 §4.1: 43 to 128 characters of [A-Za-z0-9-._~]. */
export function isCodeVerifier(text: string): boolean {
  return VERIFIER.test(text);
}

/** Whether a text can be an S256 challenge: the 43 characters of a base64url SHA-256. RFC 7636 §4.2 */
export function isCodeChallenge(text: string): boolean {
  return S256_CHALLENGE.test(text);
}

/**
 * Checks a verifier against the stored S256 challenge, in constant time. A verifier outside the grammar never matches,
 * whatever its hash.
 *
 * @see RFC 7636 §4.6
 */
export function verifierMatches(verifier: string, challenge: string): boolean {
  if (!isCodeVerifier(verifier)) return false;
  return equalsConstantTime(sha256(verifier), challenge);
}
