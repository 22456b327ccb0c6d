import { OAuthError } from '../errors.ts';
import { grantOfCode } from '../grants/grant-of-code.ts';
import { endsWithSession } from '../grants/grant-today.ts';
import { listGrant, type ListGrantFeatures } from '../grants/list-grant.ts';
import type { PushedRequestStore } from './pushed-request-store.ts';
import { nowS, type HasClock } from '../clock.ts';
import { grantEnd, type HasSettings } from '../settings/settings.ts';
import type { Session } from '../accounts/session-store.ts';
import { newGrantCode, newGrantId } from '../tokens/grant-code.ts';
import type { AuthorizationRequest, RedirectTarget } from './authorization-request.ts';
import { OBJECT_SKEW_S } from './request-object.ts';
import type { AttemptFeatures } from '../attempts/attempt-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';
import type { AuthorizeFeatures } from './authorize-features.ts';

/** Names and values of an authorization response; those that are undefined are left out. RFC 6749 §4.1.2, RFC 9207 §2 */
export type AuthorizationResponse = Readonly<Record<string, string | undefined>>;

/** What a code is issued with. */
export type IssueCodeFeatures = HasClock &
  HasSettings &
  Pick<AccountFeatures, 'sessions'> &
  Pick<GrantFeatures, 'codes'> &
  Pick<AuthorizeFeatures, 'pushedRequests'> &
  Pick<AttemptFeatures, 'assertions'> &
  ListGrantFeatures;

/**
 * Issues a code for a request that the user has agreed to, and makes the response that has it.
 *
 * @throws OAuthError invalid_request_uri, invalid_request_object when what it came in has given a code before
 * @returns `code`, `state` and `iss`
 */
export async function issueCode(
  request: AuthorizationRequest,
  session: Session,
  features: IssueCodeFeatures,
): Promise<AuthorizationResponse> {
  const { settings, codes } = features;
  await consumePushedRequest(request.pushedId, features.pushedRequests);
  await consumeRequestObject(request, features);
  const issuedAtMs = features.clock();
  const issuedAt = Math.floor(issuedAtMs / 1_000);
  const grantId = newGrantId();
  const { code, secretHash } = newGrantCode('ac', grantId);
  const { clientId, clientIncarnation, redirectUri, codeChallenge, scopes, audience, nonce, keyThumbprint } =
    request;
  const { subject, authenticatedAt, sessionId } = session;
  // Listed before it can be used, and until the grant ends that the code begins, so that its exchange need not list it again.
  await listGrant(
    subject,
    { grantId, clientId, expiresAt: grantEnd(issuedAtMs / 1_000, settings) },
    features,
  );
  const boundGrantId = endsWithSession(scopes, { ofDevice: false }) ? grantId : undefined;
  await features.sessions.addUse(sessionId, { clientId, boundGrantId });
  const contents = {
    clientId,
    clientIncarnation,
    redirectUri,
    codeChallenge,
    scopes,
    audience,
    nonce,
    keyThumbprint,
    subject,
    authenticatedAt,
    sessionId,
    issuedAt,
  };
  const grant = grantOfCode(contents, { keyThumbprint }, settings);
  await codes.save(grantId, { secretHash, contents, grant }, request.codeTtlS ?? settings.codeTtlS);
  return { code, state: request.state, iss: settings.issuer };
}

/** A pushed request may be visited often, because pages are reloaded, but gives one code. RFC 9126 §4 */
async function consumePushedRequest(id: string | undefined, pushed: PushedRequestStore): Promise<void> {
  if (id === undefined || (await pushed.consume(id))) return;
  throw new OAuthError('invalid_request_uri', 'The pushed request has been used.');
}

/** A request object with a `jti` gives one code, wherever it comes from: it is remembered for as long as one may begin with it. */
async function consumeRequestObject(
  { clientId, requestObject }: AuthorizationRequest,
  features: IssueCodeFeatures,
): Promise<void> {
  if (requestObject?.id === undefined) return;
  const { settings, pushedRequests, assertions } = features;
  const waitsS = OBJECT_SKEW_S + pushedRequests.lifetimeS + settings.transactionTtlS;
  const ttlS = requestObject.expiresAt - nowS(features) + waitsS;
  if (await assertions.markUsed(`request-object ${clientId}`, requestObject.id, ttlS)) return;
  throw new OAuthError('invalid_request_object', 'The request object was used before.');
}

/** The response with an error. RFC 6749 §4.1.2.1, RFC 9207 §2 */
export function errorResponse(
  { state }: RedirectTarget,
  error: OAuthError,
  issuer: string,
): AuthorizationResponse {
  return { error: error.code, error_description: error.message, state, iss: issuer };
}
