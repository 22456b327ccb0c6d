import type { User, UserContext } from '@trellis/subgraph-protocol';
import { decodeJwt, errors, jwtVerify, type JWTPayload } from 'jose';
import type { Caller } from './caller.ts';
import { InvalidAccessToken } from './invalid-access-token.ts';
import { FULL_TRUST, type IssuerTrust } from './issuer-trust.ts';
import { KeysUnavailable, type KeySet } from './key-set.ts';
import { authentication, type Policies } from '../settings/identity.ts';
import { own, ownOf } from '../own-property.ts';
import { holdsPolicy } from './policies.ts';
import { userIdOf } from './user-id.ts';

/** An issuer whose tokens are accepted. */
export interface TrustedIssuer {
  /** Equal to the token's `iss`, character by character. */
  readonly issuer: string;
  /** Equal to the token's `aud`, which has to be one string. Specification: Authentication 2. */
  readonly audience: string;
  readonly keys: KeySet;
  /** What its tokens may say. @default everything, of the users of the graph */
  readonly trust?: IssuerTrust;
}

/** Settings of {@link createAccessTokenVerification}. */
export interface AccessTokenRules {
  readonly issuers: readonly TrustedIssuer[];
  /** Of the operator: subgraphs get those that hold. @default none */
  readonly policies?: Policies;
  /** Seconds by which clocks may differ. @default as authentication.leewayS */
  readonly leewayS?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** Asymmetric ones that our auth-server signs with. `none` and anything with a shared secret never verify. */
const ALGORITHMS = ['ES256', 'RS256'];
const MAX_TOKEN_CHARACTERS = 8_192;

/**
 * Makes the check of an access token: an RFC 9068 JWT of a trusted issuer, for this audience alone, within its time.
 * Nothing that the token names is fetched (`jku`, `x5u`, `iss`).
 *
 * @returns rejects with InvalidAccessToken, or KeysUnavailable when the token can't be judged
 * @see RFC 9068 §4, RFC 8725
 */
export function createAccessTokenVerification(rules: AccessTokenRules): (token: string) => Promise<Caller> {
  const issuers = new Map(rules.issuers.map((issuer) => [issuer.issuer, issuer]));
  return async (token) => {
    const issuer = issuers.get(issuerOf(token));
    if (!issuer) throw new InvalidAccessToken('issuer');
    const payload = await verify(token, issuer, rules);
    if (payload.aud !== issuer.audience) throw new InvalidAccessToken('audience');
    return withPolicies(callerOf(token, payload, issuer), rules.policies);
  };
}

/** The unverified issuer, which decides whose keys the signature is checked with. */
function issuerOf(token: string): string {
  if (token.length > MAX_TOKEN_CHARACTERS) throw new InvalidAccessToken('length');
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    throw new InvalidAccessToken('form');
  }
}

async function verify(token: string, issuer: TrustedIssuer, rules: AccessTokenRules): Promise<JWTPayload> {
  const leewayS = rules.leewayS ?? authentication.members.leewayS.default;
  const now = (rules.now ?? Date.now)();
  try {
    const { payload } = await jwtVerify(token, issuer.keys.findKey, {
      algorithms: ALGORITHMS,
      issuer: issuer.issuer,
      audience: issuer.audience,
      typ: 'at+jwt',
      clockTolerance: leewayS,
      currentDate: new Date(now),
      requiredClaims: ['sub', 'exp', 'iat'],
    });
    if ((payload.iat ?? 0) > now / 1_000 + leewayS) throw new InvalidAccessToken('issued in the future');
    return payload;
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWTExpired)
    return new InvalidAccessToken(error.code, 'The access token has expired.');
  if (error instanceof errors.JOSEError) return new InvalidAccessToken(error.code);
  if (error instanceof InvalidAccessToken || error instanceof KeysUnavailable) return error;
  return new InvalidAccessToken(error instanceof Error ? error.message : 'unknown'); // jose throws a TypeError for keys of another kind
}

function callerOf(token: string, payload: JWTPayload, { issuer, trust = FULL_TRUST }: TrustedIssuer): Caller {
  const grantId = stringClaim(payload, 'gid');
  const roles = allowedIn(trust.roles, rolesOf(payload));
  const scopes = allowedIn(trust.scopes, scopesOf(payload));
  return Object.freeze({
    authenticated: true,
    scopes: new Set(scopes),
    claims: trust.roles ? Object.freeze({ ...payload, roles }) : payload,
    policies: trust.policies,
    actor: actorOf(payload, issuer, trust),
    context: Object.freeze({
      issuer,
      scopes: Object.freeze(scopes),
      ...contextOf(payload, userIn(payload, { issuer, trust, roles }), grantId),
    }),
    token,
    grantId,
    keyThumbprint: keyThumbprintOf(payload),
    expiresAtMs: (payload.exp ?? 0) * 1_000,
  });
}

/** In the context, as subgraphs do not see the claims. */
function withPolicies(caller: Caller, policies: Policies = {}): Caller {
  const held = Object.keys(policies).filter((name) => holdsPolicy(caller, name, policies));
  if (held.length === 0) return caller;
  return Object.freeze({
    ...caller,
    context: Object.freeze({ ...caller.context, policies: Object.freeze(held) }),
  });
}

/** What an issuer may not give is as if its token did not have it. */
function allowedIn(allowed: ReadonlySet<string> | undefined, given: readonly string[]): readonly string[] {
  return allowed ? given.filter((name) => allowed.has(name)) : given;
}

/** Users that are linked are the same whichever issuer speaks for them. */
function actorOf({ sub }: JWTPayload, issuer: string, { users }: IssuerTrust): string | undefined {
  return sub === undefined ? undefined : JSON.stringify([users === 'first' ? null : issuer, sub]);
}

/**
 * The key that a token is bound to. RFC 9449 §6.1.
 *
 * @throws InvalidAccessToken when it is bound in a way that can't be verified here
 */
function keyThumbprintOf({ cnf }: JWTPayload & { readonly cnf?: unknown }): string | undefined {
  if (cnf === undefined) return undefined;
  const thumbprint = ownOf(cnf, 'jkt');
  if (typeof thumbprint === 'string') return thumbprint;
  throw new InvalidAccessToken('confirmation');
}

function scopesOf(payload: JWTPayload): readonly string[] {
  return (stringClaim(payload, 'scope') ?? '').split(' ').filter((scope) => scope !== '');
}

function contextOf(
  payload: JWTPayload,
  user: User | undefined,
  grantId: string | undefined,
): Pick<UserContext, 'user' | 'clientId' | 'grantId'> {
  const clientId = stringClaim(payload, 'client_id');
  return {
    ...(user && { user }),
    ...(clientId !== undefined && { clientId }),
    ...(grantId !== undefined && { grantId }),
  };
}

interface UserSource extends Required<Pick<TrustedIssuer, 'issuer' | 'trust'>> {
  readonly roles: readonly string[];
}

/** A client that acts for itself (client_credentials) is no one. RFC 9068 §5. */
function userIn(payload: JWTPayload, { issuer, trust, roles }: UserSource): User | undefined {
  if (payload.sub === undefined || payload.sub === stringClaim(payload, 'client_id')) return undefined;
  const name = stringClaim(payload, 'name');
  const email = stringClaim(payload, 'email');
  return Object.freeze({
    id: userIdOf(issuer, payload.sub, trust),
    roles: Object.freeze(roles),
    tokenIssuedAt: payload.iat ?? 0,
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
  });
}

function rolesOf(payload: JWTPayload): readonly string[] {
  const roles: unknown = payload['roles'];
  return Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [];
}

function stringClaim(payload: JWTPayload, name: string): string | undefined {
  const value = own(payload, name);
  return typeof value === 'string' ? value : undefined;
}
