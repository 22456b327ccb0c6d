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
  /** Verified contexts cached in memory. @default 1_000 */
  readonly cacheSize?: number;
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
    const payload = await verifyPayload(token, options);
    const context = contextOf(payload);
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

async function verifyPayload(token: string, options: VerifierOptions): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, options.keys, {
      algorithms: [USER_CONTEXT_ALGORITHM],
      typ: USER_CONTEXT_TYPE,
      audience: options.subgraph,
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
