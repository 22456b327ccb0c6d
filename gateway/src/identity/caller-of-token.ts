import { own, ownOf } from '@trellis/runtime/own-property';
import type { User, UserContext } from '@trellis/subgraph-protocol';
import type { JWTPayload } from 'jose';
import type { Caller } from './caller.ts';
import { InvalidAccessToken, type ClaimKind, type TokenRules } from './token-rules.ts';
import { FULL_TRUST, type IssuerTrust } from './issuer-trust.ts';
import type { ClaimPolicy, Policies } from '../settings/authorization.ts';
import { holdsPolicy, holdsUntilMs } from './policies.ts';
import { readClaims, type TokenClaims } from './read-claims.ts';
import { userIdOf } from './user-id.ts';

/** What callers are made by, whatever their issuer. */
export interface CallerRules {
  /** Of the operator: subgraphs get those that hold. @default none */
  readonly policies?: Policies;
  /** Called where paths that the operator has given find nothing in a token. */
  readonly onAbsentClaims?: (issuer: string, kinds: readonly ClaimKind[]) => void;
}

/** An issuer, as far as its word goes. */
export interface CallerIssuer {
  readonly issuer: string;
  readonly rules: TokenRules;
  readonly trust?: IssuerTrust;
}

/**
 * Who a verified token is about, with what its issuer may give.
 *
 * @throws InvalidAccessToken where it does not say who, or not in a form that can be judged
 */
export function callerOf(
  token: string,
  payload: JWTPayload,
  { issuer, rules, trust = FULL_TRUST }: CallerIssuer,
  { policies, onAbsentClaims }: CallerRules = {},
): Caller {
  const claims = readClaims(payload, rules);
  assertAcceptable(claims, rules);
  if (claims.absent.length > 0) onAbsentClaims?.(issuer, claims.absent);
  const grantId = stringClaim(payload, 'gid');
  const roles = allowedIn(trust.roles, claims.roles);
  const scopes = allowedIn(trust.scopes, claims.scopes);
  const user = userIn(payload, claims, { issuer, rules, trust, roles });
  return withPolicies(
    Object.freeze({
      authenticated: true,
      scopes: new Set(scopes),
      claims: rules.isOwn && !trust.roles ? payload : normalised(payload, claims, roles),
      policies: trust.policies,
      actor: actorOf(payload, issuer, trust),
      context: Object.freeze({
        issuer,
        scopes: Object.freeze(scopes),
        ...(user && { user }),
        ...(claims.clientId !== undefined && { clientId: claims.clientId }),
        ...(grantId !== undefined && { grantId }),
      } satisfies UserContext),
      token,
      grantId,
      ...bindingOf(payload),
      ...(claims.absent.length > 0 && { absentClaims: claims.absent }),
      expiresAtMs: (payload.exp ?? 0) * 1_000,
    }),
    policies,
  );
}

function assertAcceptable(
  { clientId, tenant }: TokenClaims,
  { needsClient, tenants, paths }: TokenRules,
): void {
  if (needsClient && !clientId) {
    const names = paths.client.map((path) => path.join('.')).join(' or ');
    throw new InvalidAccessToken(
      `The claim "${names}" is absent, which each access token of this issuer has.`,
    );
  }
  if (tenants && (tenant === undefined || !tenants.has(tenant)))
    throw new InvalidAccessToken(
      `The tenant ${JSON.stringify(tenant) ?? '(none)'} is not among authentication.issuers[].tenants.`,
    );
}

/** Under the names that policies use, whatever the issuer calls them: what stands there otherwise does not count. */
function normalised(
  payload: JWTPayload,
  { groups, tenant }: TokenClaims,
  roles: readonly string[],
): Caller['claims'] {
  return Object.freeze({ ...payload, roles, groups, tenant });
}

/** In the context, as subgraphs do not see the claims. */
function withPolicies(caller: Caller, policies: Policies = {}): Caller {
  const held = Object.keys(policies).filter((name) => holdsPolicy(caller, name, policies));
  if (held.length === 0) return caller;
  const untilMs = Math.min(...held.map((name) => endOf(caller, own(policies, name))));
  return Object.freeze({
    ...caller,
    ...(Number.isFinite(untilMs) && { judgedUntilMs: untilMs }),
    context: Object.freeze({ ...caller.context, policies: Object.freeze(held) }),
  });
}

function endOf(caller: Caller, policy: ClaimPolicy | undefined): number {
  return policy ? holdsUntilMs(caller, policy) : Number.POSITIVE_INFINITY;
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
 * The key or the certificate that a token is bound to, or both. RFC 9449 §6.1, RFC 8705 §3.1.
 *
 * @throws InvalidAccessToken when it is bound in a way that can't be verified here
 */
function bindingOf({
  cnf,
}: JWTPayload & { readonly cnf?: unknown }): Pick<Caller, 'keyThumbprint' | 'certificateThumbprint'> {
  if (cnf === undefined) return { keyThumbprint: undefined };
  const keyThumbprint = thumbprintIn(cnf, 'jkt');
  const certificateThumbprint = thumbprintIn(cnf, 'x5t#S256');
  if (certificateThumbprint !== undefined) return { keyThumbprint, certificateThumbprint };
  if (keyThumbprint !== undefined) return { keyThumbprint };
  throw new InvalidAccessToken('The token is bound by the claim "cnf" in a way that is not verified here.');
}

function thumbprintIn(cnf: unknown, name: string): string | undefined {
  const value = ownOf(cnf, name);
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw new InvalidAccessToken(`The member "${name}" of the claim "cnf" is no text.`);
}

interface UserSource extends Required<CallerIssuer> {
  readonly roles: readonly string[];
}

/** A client that acts for itself (client_credentials) is no user. RFC 9068 §5. */
function userIn(
  payload: JWTPayload,
  { clientId, name, email }: TokenClaims,
  { issuer, rules, trust, roles }: UserSource,
): User | undefined {
  if (payload.sub === undefined || payload.sub === clientId || isMachine(payload, rules)) return undefined;
  return Object.freeze({
    id: userIdOf(issuer, payload.sub, trust),
    roles: Object.freeze(roles),
    tokenIssuedAt: payload.iat ?? 0,
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
  });
}

function isMachine(payload: JWTPayload, { machine = {} }: TokenRules): boolean {
  return Object.entries(machine).some(([claim, value]) => ownOf(payload, claim) === value);
}

function stringClaim(payload: JWTPayload, name: string): string | undefined {
  const value = own(payload, name);
  return typeof value === 'string' ? value : undefined;
}
