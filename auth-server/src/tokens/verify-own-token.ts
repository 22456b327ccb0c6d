import { jwtVerify, type JWTHeaderParameters, type JWTPayload, type JWTVerifyOptions } from 'jose';
import type { KeyObject } from 'node:crypto';
import type { Keyring } from '../keys/keyring.ts';
import type { ActorClaim } from './actor-claim.ts';
import { bindingIn, type TokenBinding } from './token-binding.ts';

/** Longest token that is looked at, characters. */
const MAX_TOKEN_LENGTH = 16_384;

/** An access token of this server that has been verified. */
export interface VerifiedAccessToken extends TokenBinding {
  readonly subject: string;
  readonly clientId: string;
  readonly grantId: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly tokenId: string;
  /** When the user signed in, seconds since 1970; undefined for a client that acts for itself. */
  readonly authenticatedAt: number | undefined;
  /** How; undefined for a client that acts for itself. OpenID Connect Core §2 */
  readonly acr: string | undefined;
  /** Who acts in the user's name. RFC 8693 §4.1 */
  readonly act: ActorClaim | undefined;
  /** Who may, where the token says so, as it says it. RFC 8693 §4.4 */
  readonly mayAct: unknown;
  /** Clients whose tokens were exchanged for this one. */
  readonly exchangedFrom: readonly string[];
  /** The trusted issuer that alone knows the user; undefined for those with an account. */
  readonly subjectIssuer: string | undefined;
}

/** What verification needs to know. */
export interface VerificationContext {
  readonly keyring: Keyring;
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Verifies signature, type, issuer, audience and expiry of an access token; not whether its grant was revoked.
 *
 * @returns undefined for everything that is not a live access token of this server
 * @see RFC 9068 §4
 */
export async function verifyAccessToken(
  token: string,
  context: VerificationContext,
): Promise<VerifiedAccessToken | undefined> {
  const claims = await verify(token, context, {
    typ: 'at+jwt',
    algorithms: ['ES256'],
    issuer: context.issuer,
    audience: [...context.audiences],
    currentDate: new Date(context.clock()),
    requiredClaims: ['sub', 'client_id', 'gid', 'exp', 'iat', 'jti'],
  });
  return claims && toAccessToken(claims);
}

/** A verified id_token that a client hands back as a hint. */
export interface IdTokenHint {
  readonly subject: string;
  readonly clientId: string;
  readonly sessionId: string | undefined;
}

/**
 * Verifies an id_token of this server. One that has expired is as good a hint as another.
 *
 * @see OpenID Connect Core §3.1.2.2, RP-Initiated Logout §4
 */
export async function verifyIdTokenHint(
  token: string,
  context: VerificationContext,
): Promise<IdTokenHint | undefined> {
  const claims = await verify(token, context, {
    typ: 'JWT',
    algorithms: ['ES256', 'RS256'],
    issuer: context.issuer,
    requiredClaims: ['sub', 'aud', 'exp', 'iat', 'sid'],
    clockTolerance: Number.MAX_SAFE_INTEGER,
  });
  if (typeof claims?.sub !== 'string' || typeof claims.aud !== 'string') return undefined;
  return {
    subject: claims.sub,
    clientId: claims.aud,
    sessionId: typeof claims['sid'] === 'string' ? claims['sid'] : undefined,
  };
}

async function verify(
  token: string,
  { keyring }: VerificationContext,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  try {
    return (await jwtVerify(token, (header) => findKey(header, keyring), options)).payload;
  } catch {
    return undefined; // whatever is wrong with it, it is no token of ours
  }
}

/** The key that the header names, if it is for the header's algorithm. */
function findKey({ kid, alg }: JWTHeaderParameters, keyring: Keyring): KeyObject {
  const found = typeof kid === 'string' ? keyring.publicKey(kid) : undefined;
  if (!found || found.algorithm !== alg) throw new Error('There is no such key.');
  return found.key;
}

function toAccessToken(claims: JWTPayload): VerifiedAccessToken | undefined {
  const { sub, aud, iat, exp, jti } = claims;
  const { client_id: clientId, gid, scope } = claims;
  if (typeof sub !== 'string' || typeof aud !== 'string' || typeof jti !== 'string') return undefined;
  if (typeof clientId !== 'string' || typeof gid !== 'string' || typeof scope !== 'string') return undefined;
  return {
    subject: sub,
    clientId,
    grantId: gid,
    audience: aud,
    scopes: scope === '' ? [] : scope.split(' '),
    issuedAt: iat ?? 0,
    expiresAt: exp ?? 0,
    tokenId: jti,
    authenticatedAt: typeof claims['auth_time'] === 'number' ? claims['auth_time'] : undefined,
    acr: typeof claims['acr'] === 'string' ? claims['acr'] : undefined,
    act: claims['act'] as ActorClaim | undefined, // this server has signed it
    mayAct: claims['may_act'],
    exchangedFrom: (claims['exchanged_from'] as readonly string[] | undefined) ?? [], // this server has signed it
    subjectIssuer: typeof claims['subject_issuer'] === 'string' ? claims['subject_issuer'] : undefined,
    ...bindingIn(claims['cnf']),
  };
}
