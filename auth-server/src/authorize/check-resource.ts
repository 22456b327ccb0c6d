import { OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';

/**
 * The resource that tokens will be for: the one asked for, or the default. Tokens have a single audience, so a request for
 * several is rejected.
 *
 * @throws OAuthError invalid_target. RFC 8707 §2
 */
export function checkRequestedResource(parameters: Parameters, audiences: readonly string[]): string {
  const [resource = audiences[0] ?? '', ...more] = parameters.getAll('resource');
  if (more.length > 0)
    throw new OAuthError('invalid_target', 'Only one resource can be asked for at a time.');
  if (!audiences.includes(resource)) throw new OAuthError('invalid_target', 'The resource is unknown.');
  return resource;
}
