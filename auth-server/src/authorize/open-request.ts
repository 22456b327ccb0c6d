import { OAuthError } from '../errors.ts';
import { parametersOf, type Parameters } from '../parameters.ts';
import type { Client } from '../clients/client-store.ts';
import type { PushedRequestStore } from './pushed-request-store.ts';

/** Prefix of the `request_uri` of pushed requests. RFC 9126 §2.2 */
export const PUSHED_URN = 'urn:ietf:params:oauth:request_uri:';

/** The parameters of an authorization request, wherever they come from. */
export interface OpenedRequest {
  readonly parameters: Parameters;
  readonly pushedId: string | undefined;
}

/**
 * Replaces a reference to a pushed request by what was pushed; everything beside it is ignored. Other references are left
 * as they are, to be rejected: nothing is ever fetched.
 *
 * @throws OAuthError for a page, when there is no such request or it is another client's. RFC 9126 §4
 */
export async function openRequest(
  outer: Parameters,
  pushedRequests: PushedRequestStore,
): Promise<OpenedRequest> {
  const requestUri = outer.get('request_uri');
  if (!requestUri?.startsWith(PUSHED_URN)) return { parameters: outer, pushedId: undefined };
  const pushedId = requestUri.slice(PUSHED_URN.length);
  const pushed = await pushedRequests.find(pushedId);
  if (!pushed || pushed.clientId !== outer.get('client_id')) {
    throw new OAuthError('invalid_request_uri', 'The pushed request is unknown, expired or already used.');
  }
  return { parameters: parametersOf(pushed.parameters), pushedId };
}

/** @throws OAuthError invalid_request when a client that must push its requests has not. RFC 9126 §6 */
export function requirePushed({ metadata }: Client, pushedId: string | undefined): void {
  if (!metadata.require_pushed_authorization_requests || pushedId !== undefined) return;
  throw new OAuthError('invalid_request', 'The client has to push its authorization requests.');
}
