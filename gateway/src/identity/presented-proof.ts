import { createHash } from 'node:crypto';
import { PROOF_WINDOW_S, verifyProofSignature, type SignedProof } from '@trellis/runtime/dpop';
import type { JWTPayload } from 'jose';
import { InvalidAccessToken } from './token-rules.ts';
import type { UsedProofs } from './used-proofs.ts';

/** A DPoP proof, and the request that it came with. */
interface SentProof {
  readonly proof: string;
  readonly method: string;
  /** Where the request went, as its client sees it. */
  readonly url: string;
  /** Whether that is certain, and its scheme counts too. @default a proxy may have changed the scheme */
  readonly isPublic?: boolean | undefined;
}

/** What proofs are held to. */
export interface ProofRules {
  /**
   * The addresses at which clients know the gateway: `htu` has to be one of them. Absent: host and path have to be those of
   * the request, whose scheme a proxy may have changed.
   */
  readonly urls?: readonly string[] | undefined;
  readonly usedProofs: UsedProofs;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

const MAX_ID_CHARACTERS = 200;

interface Outcome {
  readonly token: string;
  readonly keyThumbprint: string;
  readonly verified: Promise<void>;
}

/**
 * A DPoP proof as a request brings it. One object stands for one request, or for one connection: it is verified once, and
 * then holds for all operations of the request, and for as long as the connection has the token.
 */
export class PresentedProof {
  readonly #sent: SentProof;
  #outcome: Outcome | undefined;

  constructor(sent: SentProof) {
    this.#sent = sent;
  }

  /**
   * Verifies that the sender of a token has the key that it is bound to.
   *
   * @param keyThumbprint of the token's `cnf.jkt`
   * @throws InvalidAccessToken
   * @see RFC 9449 §4.3, §7.1
   */
  verify(token: string, keyThumbprint: string, rules: ProofRules): Promise<void> {
    const known = this.#outcome;
    if (known?.token === token && known.keyThumbprint === keyThumbprint) return known.verified;
    const verified = verifySent(this.#sent, token, keyThumbprint, rules);
    this.#outcome = { token, keyThumbprint, verified };
    return verified;
  }
}

async function verifySent(
  sent: SentProof,
  token: string,
  keyThumbprint: string,
  rules: ProofRules,
): Promise<void> {
  const { claims, thumbprint } = await verifySignature(sent.proof, (rules.now ?? Date.now)());
  const problem =
    thumbprint === keyThumbprint ? problemOf(claims, sent, token, rules) : 'its key is not that of the token';
  if (problem !== undefined) throw invalidProof(problem);
  if (!(await rules.usedProofs.markUsed(hash(`${keyThumbprint} ${claims.jti}`))))
    throw invalidProof('it was used before');
}

async function verifySignature(proof: string, nowMs: number): Promise<SignedProof> {
  try {
    return await verifyProofSignature(proof, nowMs);
  } catch (error) {
    throw invalidProof(error instanceof Error ? error.message : 'it can not be verified');
  }
}

function problemOf(
  claims: JWTPayload,
  { method, url, isPublic }: SentProof,
  token: string,
  { urls, now = Date.now }: ProofRules,
): string | undefined {
  const { jti, iat } = claims;
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_CHARACTERS)
    return 'its jti is missing, empty or too long';
  if (typeof iat !== 'number' || Math.abs(now() / 1_000 - iat) > PROOF_WINDOW_S)
    return 'its iat is too far off';
  if (claims['htm'] !== method) return 'its htm is another method';
  if (!isAddress(claims['htu'], url, isPublic ? [url] : urls)) return 'its htu is another address';
  if (claims['ath'] !== hash(token)) return 'its ath is of another token';
  return undefined;
}

/** Query and fragment do not count. RFC 9449 §4.3 (9). */
function isAddress(htu: unknown, url: string, urls: readonly string[] | undefined): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return false;
  const claimed = new URL(htu.replace(/^ws/i, 'http')); // a WebSocket is opened by an HTTP request
  if (urls) return urls.some((known) => known === `${claimed.origin}${claimed.pathname}`);
  if (!URL.canParse(url)) return false; // a Host that is none
  const own = new URL(url);
  return claimed.host === own.host && claimed.pathname === own.pathname;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function invalidProof(problem: string): InvalidAccessToken {
  return new InvalidAccessToken(`proof: ${problem}`, 'The DPoP proof is not valid here.');
}
