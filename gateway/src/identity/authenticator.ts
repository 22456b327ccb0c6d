import { timingSafeEqual } from 'node:crypto';
import type { QueueCaller } from '@trellis/runtime/admission';
import { LRUCache } from 'lru-cache';
import { ANONYMOUS, type Caller, CallerShares } from './caller.ts';
import { NO_REVOKED_TOKENS, type RevokedTokens } from './revocation.ts';
import { InvalidAccessToken } from './token-rules.ts';
import { createAccessTokenVerification, type AccessTokenRules } from './verify-access-token.ts';
import type { PresentedProof, ProofRules } from './presented-proof.ts';

/** Identifies the sender of a request. */
export interface Authenticator {
  /**
   * @param authorization the value of the `Authorization` header; absent for anonymous callers
   * @param proof what came with it; tokens that are bound to a key are taken with a proof alone
   * @param certificate thumbprint of the client's certificate, as a trusted proxy says
   * @param address of the client's network, in whose share questions about unknown tokens count
   * @returns at once where the token was verified before
   * @throws InvalidAccessToken, KeysUnavailable
   */
  authenticate(
    authorization: string | undefined,
    proof?: PresentedProof,
    certificate?: string,
    address?: string,
  ): Caller | Promise<Caller>;
  /** Whether a token was verified before and would pass again, as far as known synchronously. Never throws. */
  isKnown(authorization: string | undefined): boolean;
  /** For what runs longer than a request. */
  readonly keys: KeyWatch;
}

/** Notifies when the keys of issuers change, and which tokens those have signed. */
export interface KeyWatch {
  /** Rises whenever other keys were fetched. Asking has old ones fetched again, as a token that comes would. */
  generation(): number;
  /** Whether a token would be taken if it came now, but for revocation. True where that can't be judged now. */
  isSigned(token: string): Promise<boolean>;
}

/** Settings of {@link createAuthenticator}. */
export interface AuthenticatorOptions extends AccessTokenRules {
  /** @default none */
  readonly revokedTokens?: RevokedTokens;
  /** Verified tokens cached in memory. @default 10_000 */
  readonly cacheSize?: number;
  readonly proofs: ProofRules;
}

/** Where no issuer is configured, no token is read and all callers are anonymous. */
export const ANONYMOUS_ONLY: Authenticator = Object.freeze({
  authenticate: () => ANONYMOUS,
  isKnown: () => true,
  keys: { generation: () => 0, isSigned: async () => true },
});

interface VerifiedToken {
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly validUntilMs: number;
  /** Of the keys it was verified with: others than these may have been withdrawn for a reason. */
  readonly generation: number;
}

/**
 * Verifies a token once and caches the outcome until it expires, its grant is revoked or the issuer's keys change:
 * a hit costs a look-up. Requests that bring an unknown token at the same time share one verification. Tokens that fail
 * are not cached.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { revokedTokens = NO_REVOKED_TOKENS, now = Date.now, issuers } = options;
  const verified = new LRUCache<string, VerifiedToken>({ max: options.cacheSize ?? 10_000 });
  const verifying = new Map<string, Promise<Caller>>();
  const verify = createAccessTokenVerification(options);
  const shares = new CallerShares();

  function generation(): number {
    return issuers.reduce((sum, { keys }) => sum + keys.generation(), 0);
  }

  async function verifyAndCache(token: string, sender: QueueCaller): Promise<Caller> {
    const caller = await verify(token, sender);
    const validUntilMs = Math.min(caller.expiresAtMs, caller.judgedUntilMs ?? caller.expiresAtMs);
    verified.set(token, { caller, validUntilMs, generation: generation() });
    return caller;
  }

  function verifyOnce(token: string, sender: QueueCaller): Promise<Caller> {
    const running = verifying.get(token);
    if (running) return running;
    const verification = verifyAndCache(token, sender).finally(() => verifying.delete(token));
    verifying.set(token, verification);
    return verification;
  }

  function cachedCaller(token: string): Caller | undefined {
    const known = verified.get(token);
    return known && known.validUntilMs > now() && known.generation === generation()
      ? known.caller
      : undefined;
  }

  /** A token that was valid is verified again in the share of its user, and before unknown ones. */
  function senderOf(token: string, address: string): QueueCaller {
    return shares.of(verified.peek(token)?.caller, address);
  }

  function assertNotRevoked(caller: Caller): Caller {
    if (revokedTokens.has(caller))
      throw new InvalidAccessToken('Its grant is revoked.', 'The access token has been revoked.');
    return caller;
  }

  /** A token that is bound to a key is no Bearer token, and one that is not is no other: nothing is taken for less than it is. */
  function assertPossession(
    caller: Caller,
    { scheme, token }: Credentials,
    proof: PresentedProof | undefined,
    certificate: string | undefined,
  ): Caller | Promise<Caller> {
    const { keyThumbprint, certificateThumbprint } = caller;
    if (certificateThumbprint !== undefined) assertCertificate(certificateThumbprint, certificate);
    if ((keyThumbprint !== undefined) !== (scheme === 'dpop'))
      throw new InvalidAccessToken(WRONG_SCHEME[scheme], WRONG_SCHEME[scheme]);
    if (keyThumbprint === undefined) return caller;
    if (!proof)
      throw new InvalidAccessToken('There is no header DPoP.', 'The access token needs a DPoP proof.');
    return proof.verify(token, keyThumbprint, options.proofs).then(() => caller);
  }

  const keys: KeyWatch = {
    generation: () => {
      // Keys that can't be fetched leave those at hand in use; the fetch itself reports its failure.
      for (const issuer of issuers) void issuer.keys.load().catch(() => undefined);
      return generation();
    },
    isSigned: async (token) => {
      if (cachedCaller(token)) return true;
      return verifyOnce(token, senderOf(token, '')).then(
        () => true,
        (error: unknown) => !(error instanceof InvalidAccessToken),
      );
    },
  };

  return {
    keys,
    authenticate(authorization, proof, certificate, address = '') {
      if (authorization === undefined) return ANONYMOUS;
      const credentials = readCredentials(authorization);
      const caller = cachedCaller(credentials.token);
      if (caller) return assertPossession(assertNotRevoked(caller), credentials, proof, certificate);
      const { token } = credentials;
      return verifyOnce(token, senderOf(token, address)).then((verifiedCaller) =>
        assertPossession(assertNotRevoked(verifiedCaller), credentials, proof, certificate),
      );
    },
    isKnown(authorization) {
      const token = CREDENTIALS.exec(authorization ?? '')?.[2];
      const caller = token === undefined ? undefined : cachedCaller(token);
      return caller !== undefined && !revokedTokens.has(caller);
    },
  };
}

/** RFC 8705 §3. */
function assertCertificate(expected: string, presented: string | undefined): void {
  const [bound, given] = [Buffer.from(expected), Buffer.from(presented ?? '')];
  if (bound.length === given.length && timingSafeEqual(bound, given)) return;
  const reason =
    presented === undefined
      ? 'The token is bound to a client certificate, and no trusted proxy has said which one the client has used.'
      : 'The token is bound to another client certificate.';
  throw new InvalidAccessToken(reason, 'The access token is bound to a client certificate.');
}

interface Credentials {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
}

const WRONG_SCHEME = {
  bearer: 'The access token is bound to a key: it goes with the scheme DPoP.',
  dpop: 'The access token is not bound to a key: it goes with the scheme Bearer.',
};

const CREDENTIALS = /^(bearer|dpop) +([\w~+/.-]+=*) *$/i;

/** @see RFC 6750 §2.1, RFC 9449 §7.1 */
function readCredentials(authorization: string): Credentials {
  const [, scheme, token] = CREDENTIALS.exec(authorization) ?? [];
  if (scheme === undefined || token === undefined)
    throw new InvalidAccessToken(
      'The header Authorization is no scheme Bearer or DPoP with a token.',
      'The Authorization header does not carry a Bearer token.',
    );
  return { scheme: scheme.length === 4 ? 'dpop' : 'bearer', token };
}
