import { type QueueCaller } from '@trellis/runtime/admission';
import { PROOF_WINDOW_S } from '@trellis/runtime/dpop';
import type { OutageLog } from '@trellis/runtime/outage-log';
import { authentication } from '../settings/authentication.ts';
import { createAuthenticator } from './authenticator.ts';
import { createTokenConfirmation, type Confirmation, type TokenConfirmation } from './confirm-token.ts';
import { createIssuerDiscovery, type IssuerDiscovery, type IssuerMetadata } from './discover-issuer.ts';
import { createTokenIntrospection } from './introspect-token.ts';
import { createKeySet, fetchKeySet, KeysUnavailable } from './key-set.ts';
import { PresentedProof } from './presented-proof.ts';
import { InvalidAccessToken, ownTokenRules } from './token-rules.ts';
import { createUsedProofs } from './used-proofs.ts';

/** Whose tokens are accepted, and for what. */
export interface TokenAuthenticationOptions {
  /** An auth-server of Trellis: the base URL, as its tokens say it. */
  readonly issuer: string;
  /** What tokens have to be for. */
  readonly audience: string;
  /** How the issuer is asked whether tokens were revoked. @default it is not asked: they count until they expire */
  readonly revocation?: RevocationCheck | undefined;
}

/** How an issuer is asked whether tokens were revoked (RFC 7662). */
export interface RevocationCheck {
  /** The client that asks; it serves the audience. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Milliseconds for which a token is not asked about again. */
  readonly maxAgeMs: number;
  /** Hears whether the issuer could be asked. */
  readonly outages?: OutageLog;
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
  /** Whether the token is bound to a key or a certificate that its sender has proven to possess. RFC 9449, RFC 8705 */
  readonly isBound: boolean;
}

/** What came of a token: who sends it, why it is not accepted, or that it can't be judged now. */
export type TokenOutcome =
  | {
      readonly kind: 'caller';
      readonly caller: TokenCaller;
      /** Whether the token was revoked, as the issuer says. Absent: it is not asked. */
      readonly confirm?: () => Promise<Confirmation>;
    }
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
  revocation,
}: TokenAuthenticationOptions): (request: TokenRequest) => Promise<TokenOutcome> {
  const discovery = createIssuerDiscovery({ issuer, isTrusted: (url) => isOwnAddress(url, issuer) });
  const keys = createKeySet({
    fetchKeys: async () => fetchKeySet(await addressIn(discovery, 'jwksUrl')),
  });
  const confirmation = revocation && confirmationBy(revocation, { issuer, audience, discovery });
  const usedProofs = createUsedProofs({ redis: undefined, lifetimeS: 2 * PROOF_WINDOW_S });
  const authenticator = createAuthenticator({
    issuers: [{ issuer, rules: ownTokenRules(audience), keys }],
    proofs: { usedProofs },
  });
  return async ({ authorization, proof, method, url, isPublic }) => {
    if (authorization === undefined) return { kind: 'absent' };
    try {
      const presented =
        proof === undefined ? undefined : new PresentedProof({ proof, method, url, isPublic });
      const {
        scopes,
        context,
        claims,
        keyThumbprint,
        certificateThumbprint,
        token = '',
      } = await authenticator.authenticate(authorization, presented);
      const { sub } = claims;
      const subject = typeof sub === 'string' ? sub : undefined;
      const isBound = (keyThumbprint ?? certificateThumbprint) !== undefined;
      const caller = { scopes, clientId: context.clientId, subject, isBound };
      const sender: QueueCaller = { keys: [`client:${caller.clientId ?? subject ?? ''}`], isKnown: true };
      return {
        kind: 'caller',
        caller,
        ...(confirmation && { confirm: () => confirmation.confirm(token, sender) }),
      };
    } catch (error) {
      if (error instanceof InvalidAccessToken) return { kind: 'invalid', message: error.message };
      if (error instanceof KeysUnavailable) return { kind: 'unavailable' };
      throw error;
    }
  };
}

/** A response that takes longer counts as none: those who read wait for it. */
const INTROSPECTION_TIMEOUT_MS = 2_000;

interface ConfirmedIssuer {
  readonly issuer: string;
  readonly audience: string;
  readonly discovery: IssuerDiscovery;
}

function confirmationBy(
  { clientId, clientSecret, maxAgeMs, outages }: RevocationCheck,
  { issuer, audience, discovery }: ConfirmedIssuer,
): TokenConfirmation {
  const introspection = createTokenIntrospection({
    issuer,
    rules: ownTokenRules(audience),
    url: () => addressIn(discovery, 'introspectionUrl'),
    clientId,
    clientSecret,
    cacheMs: 0, // the confirmation remembers
    negativeCacheMs: maxAgeMs,
    maxConcurrent: authentication.members.issuers.members.introspection.members.maxConcurrent.default,
    leewayS: authentication.members.leewayS.default,
    timeoutMs: INTROSPECTION_TIMEOUT_MS,
    ...(outages && { outages }),
  });
  return createTokenConfirmation({ introspection, maxAgeMs });
}

/** The issuer is configured, and its addresses are where its metadata say, on its own host. RFC 8414 §3 */
async function addressIn(discovery: IssuerDiscovery, name: keyof IssuerMetadata): Promise<string> {
  const address = (await discovery.metadata())[name];
  if (address !== undefined) return address;
  throw new TypeError(`The metadata of the issuer have no ${name}.`);
}

function isOwnAddress(url: string, issuer: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(issuer).origin;
}
