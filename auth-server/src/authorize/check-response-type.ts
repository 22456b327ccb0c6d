import { missingParameter, OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import type { Client } from '../clients/client-store.ts';

/** Only the code flow, answered in the query. @throws OAuthError. RFC 6749 §3.1.1, RFC 9700 §2.1.2 */
export function checkResponseType(parameters: Parameters, { metadata }: Client): void {
  const responseType = parameters.get('response_type');
  if (responseType === undefined) throw missingParameter('response_type');
  if (responseType !== 'code') {
    throw new OAuthError('unsupported_response_type', 'Only response_type=code is supported.');
  }
  const responseMode = parameters.get('response_mode');
  if (responseMode !== undefined && responseMode !== 'query') {
    throw new OAuthError('invalid_request', 'Only response_mode=query is supported.');
  }
  if (!metadata.grant_types.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'The client is not registered for authorization codes.');
  }
}
