import { PROOF_WINDOW_S } from '@trellis/admission';
import type { JSONWebKeySet } from 'jose';
import { createAuthenticator } from './authenticator.ts';
import { fetchJson } from './fetch-json.ts';
import { createKeySet, fetchKeySet, KeysUnavailable } from './key-set.ts';
import { InvalidAccessToken, ownTokenRules } from './token-rules.ts';
import { createUsedProofs } from './used-proofs.ts';

/** Whose tokens are accepted, and for what. */
export interface TokenAuthenticationOptions {
  /** An auth-server of Trellis: the base URL, as its tokens say it. */
  readonly issuer: string;
  /** What tokens have to be for. */
  readonly audience: string;
}

/** A request, as far as its token goes. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  /** The header DPoP. */
  readonly proof: string | undefined;
  readonly method: string;
  /** Where it went, as its client sees it. */
  readonly url: string;
  /** Whether that was configured, and is not what the request says of itself: then the scheme counts too. @default false */
  readonly isPublic?: boolean | undefined;
}

/** Whose token it was. */
export interface TokenCaller {
  readonly scopes: ReadonlySet<string>;
  /** The OAuth client. */
  readonly clientId: string | undefined;
  readonly subject: string | undefined;
}

/** What came of a token: who sends it, why it is not accepted, or that it can't be judged now. */
export type TokenOutcome =
  | { readonly kind: 'caller'; readonly caller: TokenCaller }
  | { readonly kind: 'absent' }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'unavailable' };

/**
 * Checks access tokens as the gateway does, for other servers beside it: signature, audience, time, and possession of the key that a
 * token is bound to. Used proofs are remembered by this process alone.
 *
 * @see RFC 9068 §4, RFC 9449 §7.1
 */
export function createTokenAuthentication({
  issuer,
  audience,
}: TokenAuthenticationOptions): (request: TokenRequest) => Promise<TokenOutcome> {
  const keys = createKeySet({ fetchKeys: () => fetchKeysOf(issuer) });
  const usedProofs = createUsedProofs({ redis: undefined, lifetimeS: 2 * PROOF_WINDOW_S });
  const authenticator = createAuthenticator({
    issuers: [{ issuer, rules: ownTokenRules(audience), keys }],
    proofs: { usedProofs },
  });
  return async ({ authorization, proof, method, url, isPublic }) => {
    if (authorization === undefined) return { kind: 'absent' };
    try {
      const presented = proof === undefined ? undefined : { proof, method, url, isPublic };
      const { scopes, context, claims } = await authenticator.authenticate(authorization, presented);
      const { sub } = claims;
      const subject = typeof sub === 'string' ? sub : undefined;
      return { kind: 'caller', caller: { scopes, clientId: context.clientId, subject } };
    } catch (error) {
      if (error instanceof InvalidAccessToken) return { kind: 'invalid', message: error.message };
      if (error instanceof KeysUnavailable) return { kind: 'unavailable' };
      throw error;
    }
  };
}

/** The issuer is configured, and its keys are where its metadata say, on its own host. RFC 8414 §3 */
async function fetchKeysOf(issuer: string): Promise<JSONWebKeySet> {
  const metadata = await fetchJson(`${issuer}/.well-known/openid-configuration`, { what: 'metadata' });
  const address = (metadata as { readonly jwks_uri?: unknown } | null)?.jwks_uri;
  if (
    typeof address !== 'string' ||
    !URL.canParse(address) ||
    new URL(address).origin !== new URL(issuer).origin
  )
    throw new TypeError('The metadata of the issuer name no key set of its own.');
  return fetchKeySet(address);
}
