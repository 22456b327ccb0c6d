import {
  calculateJwkThumbprint,
  EmbeddedJWK,
  jwtVerify,
  type JWK,
  type JWTPayload,
  type JWTHeaderParameters,
} from 'jose';
import { OAuthError } from '../errors.ts';
import { sha256 } from '../secrets.ts';
import type { AssertionStore } from '../stores/assertion-store.ts';
import type { DpopNonces } from './nonces.ts';

/** Algorithms of proofs. RFC 9449 §5.1 */
export const proofAlgorithms: readonly string[] = Object.freeze(['ES256', 'RS256', 'PS256', 'EdDSA']);

/** Longest proof that is looked at, characters. */
const MAX_LENGTH = 4_096;
/** Seconds by which a proof may be old or ahead. */
const WINDOW_S = 60;
/** Seconds for which the use of a proof is remembered. */
export const PROOF_TTL_S: number = 2 * WINDOW_S;

/** What a proof has to be about. */
export interface ProofExpectation {
  readonly method: string;
  /** The endpoint's address without query and fragment. */
  readonly url: string;
  /** The access token that it goes with, at a resource. */
  readonly accessToken?: string | undefined;
}

/** What verification needs to know. */
export interface ProofContext {
  readonly assertions: AssertionStore;
  readonly dpopNonces: DpopNonces;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Verifies a proof of possession: type, signature by the key in its header, method, address, age, first use and, at a
 * resource, the access token.
 *
 * @returns the thumbprint of the key (RFC 7638)
 * @throws OAuthError invalid_dpop_proof, or use_dpop_nonce when a fresh nonce is needed
 * @see RFC 9449 §4.3
 */
export async function verifyProof(
  proof: string,
  expected: ProofExpectation,
  context: ProofContext,
): Promise<string> {
  const { key, claims } = await verifySignature(proof, context);
  const problem = claimsProblem(claims, expected, context);
  if (problem !== undefined) throw invalidProof(problem);
  context.dpopNonces.check(claims['nonce']);
  const thumbprint = await calculateJwkThumbprint(key);
  if (!(await context.assertions.markUsed(`dpop ${thumbprint}`, String(claims.jti), PROOF_TTL_S))) {
    throw invalidProof('jti was used before');
  }
  return thumbprint;
}

async function verifySignature(
  proof: string,
  { clock }: ProofContext,
): Promise<{ readonly key: JWK; readonly claims: JWTPayload }> {
  if (proof.length > MAX_LENGTH) throw invalidProof('too long');
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: [...proofAlgorithms],
      requiredClaims: ['jti', 'htm', 'htu', 'iat'],
      maxTokenAge: WINDOW_S,
      clockTolerance: WINDOW_S,
      currentDate: new Date(clock()),
    });
    return { key: publicKeyOf(protectedHeader), claims: payload };
  } catch (error) {
    throw invalidProof(error instanceof Error ? error.message : 'not verifiable');
  }
}

/** EmbeddedJWK has refused private and symmetric keys already. */
function publicKeyOf({ jwk }: JWTHeaderParameters): JWK {
  if (jwk === undefined) throw new Error('The header has no key.');
  return jwk;
}

function claimsProblem(
  { jti, htm, htu, iat = 0, ath }: JWTPayload & { htm?: unknown; htu?: unknown; ath?: unknown },
  { method, url, accessToken }: ProofExpectation,
  { clock }: ProofContext,
): string | undefined {
  if (typeof jti !== 'string' || jti === '' || jti.length > 200) return 'jti is no usable text';
  if (htm !== method) return 'htm is another method';
  if (typeof htu !== 'string' || withoutQuery(htu) !== withoutQuery(url)) return 'htu is another address';
  if (Math.abs(clock() / 1000 - iat) > WINDOW_S) return 'iat is too far away';
  if (accessToken !== undefined && ath !== sha256(accessToken)) return 'ath is of another token';
  return undefined;
}

function withoutQuery(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function invalidProof(detail: string): OAuthError {
  return new OAuthError('invalid_dpop_proof', 'The DPoP proof is not valid here.', { detail });
}
