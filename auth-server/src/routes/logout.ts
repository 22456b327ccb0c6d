import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { boundedParameters } from '../authorize/known-parameters.ts';
import { OAuthError } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { checkSameOrigin, isOfAnotherSite } from '../http/same-origin.ts';
import { textsFor } from '../http/texts-for.ts';
import { renderLogout, renderSignedOut, type LogoutPage } from '../pages/pages.ts';
import { sendPage } from '../http/send-page.ts';
import type { Parameters } from '../parameters.ts';
import { formActionSource, withQuery } from '../clients/redirect-uri.ts';
import { isMacOf, macOf } from '../secrets/secrets.ts';
import { endSession, type EndSessionFeatures } from '../administration/end-session.ts';
import { verifyIdTokenHint, type IdTokenHint } from '../tokens/verify-own-token.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../paths.ts';
import { redirect } from './send-response.ts';
import { readSession, type ReadSessionFeatures } from './read-session.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { KeyFeatures } from '../keys/key-features.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';

/** What sign-out works with. */
export type SignOutFeatures = HasClock &
  HasSettings &
  Pick<KeyFeatures, 'keyring'> &
  Pick<ClientFeatures, 'clients'> &
  Pick<HttpFeatures, 'cookies' | 'csrfKeys'> &
  EndSessionFeatures &
  ReadSessionFeatures;

/** Parameters that the question carries on. */
const CARRIED = ['client_id', 'id_token_hint', 'post_logout_redirect_uri', 'state'];
const KNOWN: ReadonlySet<string> = new Set([...CARRIED, 'csrf', 'decision', 'ui_locales']);

interface LogoutRequest {
  readonly hint: IdTokenHint | undefined;
  /** Where to go afterwards: registered, exactly. */
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
}

/**
 * Sign-out that a client starts. With an id_token of this very session it happens at once, otherwise the user is asked,
 * because anybody can make a browser come here.
 *
 * @see OpenID Connect RP-Initiated Logout §2
 */
export function addLogoutRoutes(server: FastifyInstance, features: SignOutFeatures): void {
  addEndpoint(server, paths.logout, {
    GET: (request, reply) => start(features, known(queryParameters(request)), request, reply),
    POST: (request, reply) => startPosted(features, known(formParameters(request)), request, reply),
  });
  addEndpoint(server, `${paths.logout}/confirm`, {
    POST: (request, reply) => confirm(features, known(formParameters(request)), request, reply),
  });
}

/** What comes back in an address, or a page, is bounded. */
function known(sent: Parameters): Parameters {
  return boundedParameters(sent, KNOWN, 'sign-out request');
}

/**
 * A form of another site comes without the session's cookie (SameSite=Lax), so its sender is unknown. The user sends
 * it again, from a page of this server: fetched by GET, its id_token would stand in addresses, histories and logs.
 */
async function startPosted(
  features: SignOutFeatures,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const isForeign = isOfAnotherSite(request, features.settings.issuer);
  if (!isForeign && parameters.get('decision') === 'stay') return showSignedOut(true, request, reply);
  if (!isForeign || features.cookies.readSession(request) !== undefined)
    return start(features, parameters, request, reply);
  const logout = await checkLogoutRequest(features, parameters);
  const action = `${features.settings.issuer}${paths.logout}`;
  return sendQuestion({ action, csrf: '' }, logout, parameters, request, reply);
}

async function start(
  features: SignOutFeatures,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const logout = await checkLogoutRequest(features, parameters);
  const session = await readSession(features, request);
  if (session && logout.hint?.sessionId !== session.sessionId)
    return ask(features, logout, parameters, request, reply);
  if (session) await signOut(features, request, reply);
  return logout.hint ? leave(logout, request, reply) : showSignedOut(false, request, reply);
}

/** @throws OAuthError for a page: nothing that is not registered is ever redirected to. */
async function checkLogoutRequest(features: SignOutFeatures, parameters: Parameters): Promise<LogoutRequest> {
  parameters.assertUnrepeated();
  const { settings, keyring, clock } = features;
  const token = parameters.get('id_token_hint');
  const hint =
    token === undefined ? undefined : await verifyIdTokenHint(token, { ...settings, keyring, clock });
  if (token !== undefined && !hint) throw rejected('The id_token_hint is not an id_token of this server.');
  const clientId = parameters.get('client_id') ?? hint?.clientId;
  if (hint && clientId !== hint.clientId) throw rejected('The id_token_hint is of another client.');
  const redirectUri = parameters.get('post_logout_redirect_uri');
  if (redirectUri !== undefined) {
    const client = clientId === undefined ? undefined : await features.clients.find(clientId);
    if (!client?.metadata.post_logout_redirect_uris.includes(redirectUri)) {
      throw rejected('The post_logout_redirect_uri is not registered.');
    }
  }
  return { hint, redirectUri, state: parameters.get('state') };
}

function rejected(description: string): OAuthError {
  return new OAuthError('invalid_request', description, { redirect: false });
}

function ask(
  features: SignOutFeatures,
  logout: LogoutRequest,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const form = {
    action: `${features.settings.issuer}${paths.logout}/confirm`,
    csrf: macOf(features.csrfKeys[0], 'logout', features.cookies.readSession(request) ?? ''),
  };
  return sendQuestion(form, logout, parameters, request, reply);
}

function sendQuestion(
  form: Pick<LogoutPage, 'action' | 'csrf'>,
  { redirectUri }: LogoutRequest,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const carried = CARRIED.map((name) => [name, parameters.get(name)] as const);
  const hidden = carried.filter((entry): entry is readonly [string, string] => entry[1] !== undefined);
  const formTarget = redirectUri === undefined ? undefined : formActionSource(redirectUri);
  return sendPage(reply, renderLogout({ ...form, hidden }, textsFor(request, parameters.get('ui_locales'))), {
    formTarget,
  });
}

async function confirm(
  features: SignOutFeatures,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  checkSameOrigin(request, features.settings.issuer);
  const given = parameters.get('csrf') ?? '';
  if (!isMacOf(features.csrfKeys, given, 'logout', features.cookies.readSession(request) ?? '')) {
    throw pageExpired('wrong form token');
  }
  const logout = await checkLogoutRequest(features, parameters);
  if (parameters.get('decision') !== 'sign_out') return showSignedOut(true, request, reply);
  await signOut(features, request, reply);
  return leave(logout, request, reply);
}

async function signOut(
  features: SignOutFeatures,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = await readSession(features, request);
  if (session) await endSession(session, features);
  features.cookies.clearSession(reply);
}

function leave(
  { redirectUri, state }: LogoutRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (redirectUri === undefined) return showSignedOut(false, request, reply);
  return redirect(reply, state === undefined ? redirectUri : withQuery(redirectUri, { state }));
}

function showSignedOut(stayed: boolean, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply, renderSignedOut(stayed, textsFor(request)));
}
