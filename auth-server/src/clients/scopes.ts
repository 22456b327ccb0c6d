import { isScopeToken } from '@trellis/http1/fields';

/** Scopes of OpenID Connect that this server knows. OpenID Connect Core §5.4, §11 */
export const openidScopes: readonly string[] = Object.freeze([
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
]);

/** A scope of the admin API for one kind of thing. */
export type AdminScope =
  | 'auth:accounts:read'
  | 'auth:accounts:write'
  | 'auth:audit:read'
  | 'auth:clients:read'
  | 'auth:clients:write'
  | 'auth:graph:read'
  | 'auth:grants:read'
  | 'auth:grants:write'
  | 'auth:keys:read'
  | 'auth:keys:write'
  | 'auth:mail:read'
  | 'auth:mail:write';

/** The scope of the admin API that stands for all the others. */
export const ADMIN_SCOPE = 'auth:admin';

const narrowAdminScopes: readonly AdminScope[] = [
  'auth:accounts:read',
  'auth:accounts:write',
  'auth:audit:read',
  'auth:clients:read',
  'auth:clients:write',
  'auth:graph:read',
  'auth:grants:read',
  'auth:grants:write',
  'auth:keys:read',
  'auth:keys:write',
  'auth:mail:read',
  'auth:mail:write',
];

/** The scope of the console for operators: what it may do there is said by the others beside it. */
export const CONSOLE_SCOPE = 'auth:console';

/** The client whose registration says that there is a console, and what it may do. */
export const CONSOLE_CLIENT = 'trellis-console';

/** Scopes of administration. No client has one unless its registration says so. */
export const adminScopes: readonly string[] = Object.freeze([
  ADMIN_SCOPE,
  CONSOLE_SCOPE,
  ...narrowAdminScopes,
]);

/** Those of the admin API among scopes, `auth:admin` spelled out. */
export function heldAdminScopes(scopes: readonly string[]): readonly string[] {
  return scopes.includes(ADMIN_SCOPE) ? adminScopes : scopes.filter((scope) => adminScopes.includes(scope));
}

/** Splits a `scope` value into its tokens, each once; undefined when a character is not allowed. RFC 6749 §3.3 */
export function parseScope(text: string): readonly string[] | undefined {
  const tokens = text.split(' ');
  return tokens.every(isScopeToken) ? [...new Set(tokens)] : undefined;
}

const PATTERN_END = ':*';
const PATTERN_PART = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Whether a scope is one of those that are known, or follows a pattern among them: `graph:publish:*` stands for `graph:publish:` and
 * a name of letters, digits, _ and -. The pattern itself is a scope as well.
 */
export function isKnownScope(known: readonly string[], scope: string): boolean {
  return known.includes(scope) || known.some((pattern) => followsPattern(pattern, scope));
}

function followsPattern(pattern: string, scope: string): boolean {
  if (!pattern.endsWith(PATTERN_END)) return false;
  const start = pattern.slice(0, -1);
  return scope.startsWith(start) && PATTERN_PART.test(scope.slice(start.length));
}

/** Whether every scope asked for is among those allowed. */
export function includesAll(allowed: readonly string[], asked: readonly string[]): boolean {
  return asked.every((scope) => allowed.includes(scope));
}
