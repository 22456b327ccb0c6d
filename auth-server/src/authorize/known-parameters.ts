import { OAuthError } from '../errors.ts';
import { parametersOf, type Parameters } from '../parameters.ts';

/** Parameters of authorization requests that mean something to this server. Others are ignored, and go no further. */
const KNOWN: ReadonlySet<string> = new Set([
  'acr_values',
  'claims',
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'dpop_jkt',
  'id_token_hint',
  'login_hint',
  'max_age',
  'nonce',
  'prompt',
  'redirect_uri',
  'registration',
  'request',
  'request_uri',
  'resource',
  'response_mode',
  'response_type',
  'scope',
  'state',
  'ui_locales',
]);

/** Most bytes of all names and values, as JSON: in an address they stay well below the 16 KiB of a request's head. */
const MAX_BYTES = 8_192;
/** Most bytes of what is given back as it came. */
const MAX_OPAQUE_BYTES = 2_048;

/**
 * The known parameters of an authorization request.
 *
 * @throws OAuthError 413 invalid_request, for a page, when there is more than a good request needs. RFC 9126 §2.3
 */
export function knownParameters(sent: Parameters): Parameters {
  return boundedParameters(sent, KNOWN, 'authorization request');
}

/**
 * The parameters with certain names, within bounds, so that they can be carried on.
 *
 * @param what is bounded, for the message
 * @throws OAuthError 413 invalid_request, for a page
 */
export function boundedParameters(sent: Parameters, names: ReadonlySet<string>, what: string): Parameters {
  const entries = sent.entries().filter(([name]) => names.has(name));
  for (const [name, value] of entries) {
    const isOpaque = name === 'state' || name === 'nonce';
    if (isOpaque && Buffer.byteLength(value) > MAX_OPAQUE_BYTES) throw tooLarge(name, MAX_OPAQUE_BYTES);
  }
  if (Buffer.byteLength(JSON.stringify(entries)) > MAX_BYTES) throw tooLarge(what, MAX_BYTES);
  return parametersOf(entries);
}

function tooLarge(what: string, bytes: number): OAuthError {
  return new OAuthError('invalid_request', `The ${what} has more than ${bytes} bytes.`, {
    status: 413,
    redirect: false,
  });
}
