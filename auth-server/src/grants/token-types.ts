import { missingParameter, OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';

/** Types of tokens that are exchanged here. RFC 8693 §3 */
export type TokenType =
  'urn:ietf:params:oauth:token-type:access_token' | 'urn:ietf:params:oauth:token-type:jwt';

/** An access token, of whatever form. */
export const ACCESS_TOKEN_TYPE: TokenType = 'urn:ietf:params:oauth:token-type:access_token';

const tokenTypes: readonly TokenType[] = [ACCESS_TOKEN_TYPE, 'urn:ietf:params:oauth:token-type:jwt'];

/** A token of an exchange, as it was sent. */
export type ExchangedTokenName = 'subject_token' | 'actor_token';

/**
 * A token of an exchange; undefined where neither it nor its type was sent. Access tokens here are JWTs, so both types do.
 *
 * @throws OAuthError invalid_request. RFC 8693 §2.1
 */
export function readToken(parameters: Parameters, name: ExchangedTokenName): string | undefined {
  const [token, type] = [parameters.get(name), parameters.get(`${name}_type`)];
  if (token === undefined && type === undefined) return undefined;
  if (token === undefined) throw missingParameter(name);
  if (type === undefined) throw missingParameter(`${name}_type`);
  if (!isTokenType(type)) {
    throw new OAuthError('invalid_request', `The ${name}_type is not supported.`);
  }
  return token;
}

/** The type of the token that is asked for. @throws OAuthError invalid_request for another one than an access token */
export function readRequestedType(parameters: Parameters): TokenType {
  const type = parameters.get('requested_token_type') ?? ACCESS_TOKEN_TYPE;
  if (isTokenType(type)) return type;
  throw new OAuthError('invalid_request', 'The requested_token_type is not supported.');
}

function isTokenType(type: string): type is TokenType {
  return (tokenTypes as readonly string[]).includes(type);
}
