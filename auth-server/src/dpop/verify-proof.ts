import { PROOF_WINDOW_S, verifyProofSignature, type SignedProof } from '@trellis/runtime/dpop';
import type { JWTPayload } from 'jose';
import { OAuthError } from '../errors.ts';
import { sha256 } from '../secrets/secrets.ts';
import type { AssertionStore } from '../attempts/assertion-store.ts';
import { NONCE_LIFETIME_S, type DpopNonces } from './nonces.ts';

const MAX_ID_CHARACTERS = 200;
/** Seconds for which the use of a proof is remembered, at most. */
export const PROOF_TTL_S: number = Math.max(2 * PROOF_WINDOW_S, NONCE_LIFETIME_S);

/** What a proof has to be about. */
export interface ProofExpectation {
  readonly method: string;
  /** The endpoint's addresses, of which the proof names one; query and fragment do not count. */
  readonly urls: readonly string[];
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

/** A proof that holds. */
export interface VerifiedProof {
  /** Of the client's key. RFC 7638 */
  readonly thumbprint: string;
  /** Whether the client works with nonces of this server. */
  readonly hasNonce: boolean;
}

/**
 * Verifies a proof of possession: type, signature by the key in its header, method, address, age, first use and, at a
 * resource, the access token. A nonce of this server proves the age of a proof, whatever the client's clock says.
 *
 * @throws OAuthError invalid_dpop_proof, or use_dpop_nonce when a fresh nonce is needed
 * @see RFC 9449 §4.3, §8, §11.1
 */
export async function verifyProof(
  proof: string,
  expected: ProofExpectation,
  context: ProofContext,
): Promise<VerifiedProof> {
  const { dpopNonces, assertions, clock } = context;
  const { claims, thumbprint } = await verifySignature(proof, clock());
  const problem = claimsProblem(claims, expected);
  if (problem !== undefined) throw invalidProof(problem);
  const hasNonce = dpopNonces.check(claims['nonce']);
  if (!hasNonce && isTooFarFromNow(claims.iat, clock()))
    throw dpopNonces.demand('iat is too far from the current time');
  const rememberS = hasNonce ? NONCE_LIFETIME_S : 2 * PROOF_WINDOW_S;
  if (!(await assertions.markUsed(`dpop ${thumbprint}`, String(claims.jti), rememberS))) {
    throw invalidProof('jti was used before');
  }
  return { thumbprint, hasNonce };
}

async function verifySignature(proof: string, nowMs: number): Promise<SignedProof> {
  try {
    return await verifyProofSignature(proof, nowMs);
  } catch (error) {
    throw invalidProof(error instanceof Error ? error.message : 'not verifiable');
  }
}

function isTooFarFromNow(iat: number | undefined, nowMs: number): boolean {
  return Math.abs(nowMs / 1_000 - (iat ?? 0)) > PROOF_WINDOW_S;
}

function claimsProblem(
  { jti, htm, htu, iat, ath }: JWTPayload & { htm?: unknown; htu?: unknown; ath?: unknown },
  { method, urls, accessToken }: ProofExpectation,
): string | undefined {
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_CHARACTERS)
    return 'jti is missing, empty or too long';
  if (typeof iat !== 'number') return 'iat is no time';
  if (htm !== method) return 'htm is another method';
  if (typeof htu !== 'string' || !isOneOf(htu, urls)) return 'htu is another address';
  if (accessToken !== undefined && ath !== sha256(accessToken)) return 'ath is of another token';
  return undefined;
}

function isOneOf(htu: string, urls: readonly string[]): boolean {
  const address = withoutQuery(htu);
  return address !== undefined && urls.some((url) => withoutQuery(url) === address);
}

function withoutQuery(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function invalidProof(detail: string): OAuthError {
  return new OAuthError('invalid_dpop_proof', 'The DPoP proof is not valid here.', { detail });
}
