import { jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import {
  InvalidUserContext,
  USER_CONTEXT_ALGORITHM,
  USER_CONTEXT_TYPE,
  type User,
  type UserContext,
} from './user-context.ts';

/** Verifies contexts in one subgraph. */
export interface UserContextVerifier {
  /** @throws InvalidUserContext */
  verify(token: string | undefined): Promise<UserContext>;
}

/** Settings of {@link createUserContextVerifier}. */
export interface VerifierOptions {
  /** The subgraph's own name; a context for any other is rejected. */
  readonly subgraph: string;
  /** The gateway's public keys: `createLocalJWKSet(…)` or `createRemoteJWKSet(…)` of jose. */
  readonly keys: JWTVerifyGetKey;
  /** Public keys of developers, whose contexts count for less; absent in production. */
  readonly developers?: DeveloperKeys | undefined;
  /** Verified contexts cached in memory. @default 1_000 */
  readonly cacheSize?: number;
}

/** Whose gateways run on their own machines. */
export interface DeveloperKeys {
  readonly keys: JWTVerifyGetKey;
  /** A context of theirs has no other scopes, and neither roles nor policies. */
  readonly scopes: readonly string[];
}

interface CachedContext {
  readonly context: UserContext;
  readonly expiresAtMs: number;
}

const LEEWAY_S = 5;

/** Verifies signature, algorithm, type, audience and expiry. A context seen before costs one look-up until it expires. */
export function createUserContextVerifier(options: VerifierOptions): UserContextVerifier {
  const cache = new Map<string, CachedContext>();
  const cacheSize = options.cacheSize ?? 1_000;

  async function verifyAndKeep(token: string): Promise<UserContext> {
    const { payload, context } = await verifyByAny(token, options);
    if (cache.size >= cacheSize) cache.delete(cache.keys().next().value as string); // the oldest; the map is not empty here
    cache.set(token, { context, expiresAtMs: ((payload.exp ?? 0) + LEEWAY_S) * 1_000 });
    return context;
  }

  return {
    async verify(token) {
      if (!token) throw new InvalidUserContext('The request carries no user context.');
      const cached = cache.get(token);
      if (cached && cached.expiresAtMs > Date.now()) return cached.context;
      return verifyAndKeep(token);
    },
  };
}

interface VerifiedContext {
  readonly payload: JWTPayload;
  readonly context: UserContext;
}

/** By the gateway's keys; else, where there are any, by those of developers. */
async function verifyByAny(token: string, options: VerifierOptions): Promise<VerifiedContext> {
  const { keys, developers, subgraph } = options;
  try {
    const payload = await verifyPayload(token, subgraph, keys);
    return { payload, context: contextOf(payload) };
  } catch (error) {
    if (!developers) throw error;
    const payload = await verifyPayload(token, subgraph, developers.keys);
    return { payload, context: capped(contextOf(payload), developers.scopes) };
  }
}

/** A developer may be any user, with the rights that the operator gives to developers, and no others. */
function capped(
  { user, policies: _policies, groupRoles: _groupRoles, ...context }: UserContext,
  scopes: readonly string[],
): UserContext {
  return Object.freeze({
    ...context,
    scopes: context.scopes.filter((scope) => scopes.includes(scope)),
    ...(user && { user: { ...user, roles: [] } }),
  });
}

async function verifyPayload(token: string, subgraph: string, keys: JWTVerifyGetKey): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: [USER_CONTEXT_ALGORITHM],
      typ: USER_CONTEXT_TYPE,
      audience: subgraph,
      requiredClaims: ['exp', 'iat'],
      clockTolerance: LEEWAY_S,
    });
    return payload;
  } catch (cause) {
    throw new InvalidUserContext('The user context does not verify.', { cause });
  }
}

function contextOf(payload: JWTPayload): UserContext {
  const user = userOf(payload);
  const issuer = stringClaim(payload, 'token_iss');
  const clientId = stringClaim(payload, 'client_id');
  const grantId = stringClaim(payload, 'gid');
  const policies = listClaim(payload, 'policies');
  return Object.freeze({
    scopes: (stringClaim(payload, 'scope') ?? '').split(' ').filter((scope) => scope !== ''),
    ...(user ? { user } : groupOf(payload)),
    ...(issuer && { issuer }),
    ...(clientId && { clientId }),
    ...(policies && { policies }),
    ...(grantId && { grantId }),
  });
}

function userOf(payload: JWTPayload): User | undefined {
  if (payload.sub === undefined) return undefined;
  const name = stringClaim(payload, 'name');
  const email = stringClaim(payload, 'email');
  return {
    id: payload.sub,
    roles: listClaim(payload, 'roles') ?? [],
    tokenIssuedAt: Number(payload['token_iat'] ?? 0),
    ...(name && { name }),
    ...(email && { email }),
  };
}

/** Roles without a user are those of a group. */
function groupOf(payload: JWTPayload): Pick<UserContext, 'groupRoles'> {
  const roles = listClaim(payload, 'roles');
  return roles ? { groupRoles: roles } : {};
}

function listClaim(payload: JWTPayload, name: string): readonly string[] | undefined {
  const values: unknown = payload[name];
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : undefined;
}

function stringClaim(payload: JWTPayload, name: string): string | undefined {
  const value = payload[name];
  return typeof value === 'string' ? value : undefined;
}
