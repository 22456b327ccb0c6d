/** Scopes of OpenID Connect that this server knows. OpenID Connect Core §5.4, §11 */
export const openidScopes: readonly string[] = Object.freeze([
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
]);

/** Scope of the admin API. No client has it unless its registration says so. */
export const ADMIN_SCOPE = 'auth:admin';

const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** Splits a `scope` value into its tokens, each once; undefined when a character is not allowed. RFC 6749 §3.3 */
export function parseScope(text: string): readonly string[] | undefined {
  const tokens = text.split(' ');
  return tokens.every((token) => SCOPE_TOKEN.test(token)) ? [...new Set(tokens)] : undefined;
}

/** Whether every scope asked for is among those allowed. */
export function includesAll(allowed: readonly string[], asked: readonly string[]): boolean {
  return asked.every((scope) => allowed.includes(scope));
}
