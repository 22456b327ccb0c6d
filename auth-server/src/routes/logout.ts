import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OAuthError } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { checkSameOrigin } from '../http/same-origin.ts';
import { chooseTexts } from '../pages/language.ts';
import { renderLogout, renderSignedOut } from '../pages/pages.ts';
import { sendPage } from '../http/send-page.ts';
import { parametersOf, type Parameters } from '../parameters.ts';
import { formActionSource, withQuery } from '../redirect-uri.ts';
import { isMacOf, macOf } from '../secrets.ts';
import { endSession } from '../end-session.ts';
import { verifyIdTokenHint, type IdTokenHint } from '../tokens/verify-own-token.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from './paths.ts';
import { redirect } from './proceed.ts';
import { readSession } from './read-session.ts';
import type { RouteContext } from './route-context.ts';

/** Parameters that the question carries on. */
const CARRIED = ['client_id', 'id_token_hint', 'post_logout_redirect_uri', 'state'];

interface LogoutRequest {
  readonly hint: IdTokenHint | undefined;
  /** Where to go afterwards: registered, exactly. */
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
}

/**
 * Sign-out that a client starts. With an id_token of this very session it happens at once, otherwise the person is asked,
 * because anybody can make a browser come here.
 *
 * @see OpenID Connect RP-Initiated Logout §2
 */
export function addLogoutRoutes(server: FastifyInstance, context: RouteContext): void {
  addEndpoint(server, paths.logout, {
    GET: (request, reply) => start(context, queryParameters(request), request, reply),
    // Fetched again by GET, because a POST of another site comes without the session's cookie.
    POST: (request, reply) => redirect(reply, logoutUrl(context, formParameters(request))),
  });
  addEndpoint(server, `${paths.logout}/confirm`, {
    POST: (request, reply) => confirm(context, formParameters(request), request, reply),
  });
}

function logoutUrl({ services }: RouteContext, parameters: Parameters): string {
  const url = `${services.settings.issuer}${paths.logout}`;
  const carried = Object.fromEntries(parameters.entries());
  return Object.keys(carried).length === 0 ? url : withQuery(url, carried);
}

async function start(
  context: RouteContext,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const logout = await checkLogoutRequest(context, parameters);
  const session = await readSession(context, request);
  if (session && logout.hint?.sessionId !== session.sessionId)
    return ask(context, logout, parameters, request, reply);
  if (session) await signOut(context, request, reply);
  return logout.hint ? leave(logout, request, reply) : showSignedOut(false, request, reply);
}

/** @throws OAuthError for a page: nothing that is not registered is ever redirected to. */
async function checkLogoutRequest(
  { services }: RouteContext,
  parameters: Parameters,
): Promise<LogoutRequest> {
  parameters.assertUnrepeated();
  const { settings, keyring, clock } = services;
  const token = parameters.get('id_token_hint');
  const hint =
    token === undefined ? undefined : await verifyIdTokenHint(token, { ...settings, keyring, clock });
  if (token !== undefined && !hint) throw refused('The id_token_hint is not an id_token of this server.');
  const clientId = parameters.get('client_id') ?? hint?.clientId;
  if (hint && clientId !== hint.clientId) throw refused('The id_token_hint is of another client.');
  const redirectUri = parameters.get('post_logout_redirect_uri');
  if (redirectUri !== undefined) {
    const client = clientId === undefined ? undefined : await services.clients.find(clientId);
    if (!client?.metadata.post_logout_redirect_uris.includes(redirectUri)) {
      throw refused('The post_logout_redirect_uri is not registered.');
    }
  }
  return { hint, redirectUri, state: parameters.get('state') };
}

function refused(description: string): OAuthError {
  return new OAuthError('invalid_request', description, { redirect: false });
}

function ask(
  { services, cookies }: RouteContext,
  { redirectUri }: LogoutRequest,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const carried = CARRIED.map((name) => [name, parameters.get(name)] as const);
  const page = {
    action: `${services.settings.issuer}${paths.logout}/confirm`,
    csrf: macOf(services.csrfKeys[0], 'logout', cookies.readSession(request) ?? ''),
    hidden: carried.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
  };
  const formTarget = redirectUri === undefined ? undefined : formActionSource(redirectUri);
  return sendPage(reply, renderLogout(page, textsFor(parameters, request)), { formTarget });
}

async function confirm(
  context: RouteContext,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { services, cookies } = context;
  checkSameOrigin(request, services.settings.issuer);
  const given = parameters.get('csrf') ?? '';
  if (!isMacOf(services.csrfKeys, given, 'logout', cookies.readSession(request) ?? '')) {
    throw pageExpired('wrong form token');
  }
  const logout = await checkLogoutRequest(context, parameters);
  if (parameters.get('decision') !== 'sign_out') return showSignedOut(true, request, reply);
  await signOut(context, request, reply);
  return leave(logout, request, reply);
}

async function signOut(context: RouteContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { services, cookies } = context;
  const session = await readSession(context, request);
  if (session) await endSession(session, services);
  cookies.clearSession(reply);
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
  return sendPage(reply, renderSignedOut(stayed, textsFor(parametersOf([]), request)));
}

function textsFor(parameters: Parameters, request: FastifyRequest): ReturnType<typeof chooseTexts> {
  return chooseTexts(parameters.get('ui_locales'), request.headers['accept-language']);
}
