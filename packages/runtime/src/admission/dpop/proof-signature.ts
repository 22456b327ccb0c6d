import {
  calculateJwkThumbprint,
  EmbeddedJWK,
  jwtVerify,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';
import { isBoundedKey } from './bounded-key.ts';

/** Algorithms of proofs, for challenges and metadata as well. RFC 9449 §5.1, §7.1 */
export const PROOF_ALGORITHMS: readonly string[] = Object.freeze(['ES256', 'RS256', 'PS256', 'EdDSA']);

/** Seconds by which a proof may be old, or ahead. */
export const PROOF_WINDOW_S = 60;

/** Longest proof that is looked at. */
const MAX_CHARACTERS = 4_096;

/** What a proof says, and whose it is. */
export interface SignedProof {
  readonly claims: JWTPayload;
  /** Of the key in its header, by which it is signed. RFC 7638 */
  readonly thumbprint: string;
}

/**
 * Verifies type and signature of a DPoP proof, by the key in its header, and `exp` and `nbf` where it has them. All other claims
 * are for the caller to judge.
 *
 * @param nowMs since 1970
 * @throws Error that says what is wrong, for the log
 * @see RFC 9449 §4.3 (1) to (7)
 */
export async function verifyProofSignature(proof: string, nowMs: number): Promise<SignedProof> {
  if (proof.length > MAX_CHARACTERS) throw new Error('it is too long');
  const { payload, protectedHeader } = await jwtVerify(proof, boundedKey, {
    typ: 'dpop+jwt',
    algorithms: [...PROOF_ALGORITHMS],
    clockTolerance: PROOF_WINDOW_S,
    currentDate: new Date(nowMs),
  });
  return { claims: payload, thumbprint: await calculateJwkThumbprint(protectedHeader.jwk ?? {}) };
}

/** EmbeddedJWK takes public keys alone. */
const boundedKey: typeof EmbeddedJWK = (header, token) => {
  const { jwk = {} } = header as JWTHeaderParameters; // it is the header of the proof
  if (!isBoundedKey(jwk))
    throw new Error('its key is none of RSA (2,048 to 4,096 bits, exponent 65,537), P-256 or Ed25519');
  return EmbeddedJWK(header, token);
};
