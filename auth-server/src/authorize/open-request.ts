import { OAuthError } from '../errors.ts';
import { parametersOf, type Parameters } from '../parameters.ts';
import { hasKeys } from '../clients/client-metadata.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { Client } from '../clients/client-store.ts';
import type { AuthorizeFeatures } from './authorize-features.ts';
import { checkClient } from './check-client.ts';
import { knownParameters } from './known-parameters.ts';
import { openRequestObject, type RequestObjectFeatures, type UsedRequestObject } from './request-object.ts';

/** Prefix of the `request_uri` of pushed requests. RFC 9126 §2.2 */
export const PUSHED_URN = 'urn:ietf:params:oauth:request_uri:';

/** The parameters of an authorization request, wherever they come from. */
export interface OpenedParameters {
  readonly parameters: Parameters;
  /** The request object that they were in. */
  readonly requestObject: UsedRequestObject | undefined;
}

/** The same of a request that was pushed, or was not. */
export interface OpenedRequest extends OpenedParameters {
  readonly pushedId: string | undefined;
}

/** What parameters by value are read with. */
export type OpenParametersFeatures = Pick<ClientFeatures, 'clients'> & RequestObjectFeatures;

/** What authorization requests are opened with. */
export type OpenRequestFeatures = Pick<AuthorizeFeatures, 'pushedRequests'> & OpenParametersFeatures;

/**
 * Replaces a reference to a pushed request by what was pushed, and a request object by what it says; everything beside either is
 * ignored. Other references are left as they are, to be rejected: nothing is ever fetched by one.
 *
 * @throws OAuthError for a page, when there is no such request or it is another client's. RFC 9126 §4
 */
export async function openRequest(outer: Parameters, features: OpenRequestFeatures): Promise<OpenedRequest> {
  const requestUri = outer.get('request_uri');
  if (!requestUri?.startsWith(PUSHED_URN)) {
    return { ...(await openParameters(outer, features)), pushedId: undefined };
  }
  const pushedId = requestUri.slice(PUSHED_URN.length);
  const pushed = await features.pushedRequests.find(pushedId);
  if (!pushed || pushed.clientId !== outer.get('client_id')) {
    throw new OAuthError('invalid_request_uri', 'The pushed request is unknown, expired or already used.');
  }
  return { parameters: parametersOf(pushed.parameters), requestObject: pushed.requestObject, pushedId };
}

/**
 * The parameters of a request, out of its request object if it has one. That of a client without keys is left where it is, to be
 * rejected.
 *
 * @throws OAuthError for a page. RFC 9101 §6.3
 */
export async function openParameters(
  outer: Parameters,
  features: OpenParametersFeatures,
): Promise<OpenedParameters> {
  const unopened = { parameters: outer, requestObject: undefined };
  const object = outer.get('request');
  if (object === undefined) return unopened;
  if (outer.get('request_uri') !== undefined) {
    const description = 'A request has either a request or a request_uri.';
    throw new OAuthError('invalid_request', description, { redirect: false });
  }
  const client = await checkClient(outer, features.clients);
  if (!hasKeys(client.metadata)) return unopened;
  const { parameters, used } = await openRequestObject(object, client, features);
  return { parameters: knownParameters(parameters), requestObject: used };
}

/** What of the way in which a request came its client is not registered for, or undefined. RFC 9126 §6, RFC 9101 §10.5 */
export function wayProblem(
  { metadata }: Client,
  { pushedId, requestObject }: Partial<Omit<OpenedRequest, 'parameters'>>,
): string | undefined {
  if (metadata.require_pushed_authorization_requests && pushedId === undefined)
    return 'The client has to push its authorization requests.';
  if (metadata.require_signed_request_object && !requestObject)
    return 'The client has to sign its authorization requests.';
  return undefined;
}

/** @throws OAuthError invalid_request when a request did not come in the way that its client is registered for */
export function checkWay(client: Client, way: Omit<OpenedRequest, 'parameters'>): void {
  const problem = wayProblem(client, way);
  if (problem !== undefined) throw new OAuthError('invalid_request', problem);
}
