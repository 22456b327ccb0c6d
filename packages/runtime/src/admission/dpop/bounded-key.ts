import type { JWK } from 'jose';

/** 65,537, as everybody has it. */
const EXPONENT = 'AQAB';
/** 2,048 to 4,096 bits, in base64url without padding. */
const MODULUS = /^[A-Za-z0-9_-]{342,683}$/;
/** Of the algorithms that are accepted. RFC 7518 §6.2, RFC 8037 §2 */
const CURVES: ReadonlyMap<unknown, string> = new Map([
  ['EC', 'P-256'],
  ['OKP', 'Ed25519'],
]);

/**
 * Whether verifying by a public key has a bounded cost, however it was generated: RSA with the usual exponent and a modulus of 2,048
 * to 4,096 bits, P-256, or Ed25519. An RSA exponent as long as the modulus costs some ten times as much.
 */
export function isBoundedKey({ kty, crv, n = '', e }: JWK): boolean {
  if (kty === 'RSA') return e === EXPONENT && MODULUS.test(n);
  return crv !== undefined && CURVES.get(kty) === crv;
}
