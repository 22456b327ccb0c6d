import { OAuthError } from '../errors.ts';
import { includesAll, parseScope } from '../clients/scopes.ts';

/**
 * The scopes of one token: those granted, or the fewer that are asked for.
 *
 * @throws OAuthError invalid_scope for more than was granted. RFC 6749 §6
 */
export function narrowScopes(granted: readonly string[], asked: string | undefined): readonly string[] {
  if (asked === undefined) return granted;
  const scopes = parseScope(asked);
  if (!scopes) throw new OAuthError('invalid_scope', 'The scope has characters that are not allowed.');
  if (!includesAll(granted, scopes))
    throw new OAuthError('invalid_scope', 'The scope exceeds what was granted.');
  return scopes;
}

/**
 * Checks the resource of a token request against the one of the grant.
 *
 * @throws OAuthError invalid_target. RFC 8707 §2.2
 */
export function checkResource(granted: string, asked: readonly string[]): void {
  if (asked.some((resource) => resource !== granted)) {
    throw new OAuthError('invalid_target', 'The resource was not granted.');
  }
}

/**
 * The one resource of a token that no grant of before is for: the one asked for, or the default.
 *
 * @throws OAuthError invalid_target. RFC 8707 §2.2
 */
export function chooseResource(asked: readonly string[], audiences: readonly string[]): string {
  const [resource = audiences[0] ?? '', ...more] = asked;
  if (more.length > 0 || !audiences.includes(resource)) {
    throw new OAuthError('invalid_target', 'The resource is unknown, or there is more than one.');
  }
  return resource;
}
