import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { issueCode } from '../authorize/authorization-response.ts';
import type { Account } from '../accounts/accounts.ts';
import { honoursSignIn, isSomebodyElse } from '../authorize/next-step.ts';
import { OAuthError } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { chooseTexts } from '../pages/language.ts';
import { renderConsent } from '../pages/pages.ts';
import { sendPage } from '../http/send-page.ts';
import type { Parameters } from '../parameters.ts';
import { formActionSource } from '../clients/redirect-uri.ts';
import type { AuthorizationTransaction } from '../authorize/transactions.ts';
import type { Session } from '../accounts/session-store.ts';
import { checkFormToken, findAuthorization, formToken, type BoundTransaction } from './bound-form.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../http/paths.ts';
import { findRequestingClient, redirect, redirectError } from './proceed.ts';
import { readSession } from './read-session.ts';
import type { RouteContext } from './route-context.ts';

interface SignedInPerson {
  readonly session: Session;
  readonly account: Account;
}

/** The page where people allow or deny. */
export function addConsentRoutes(server: FastifyInstance, context: RouteContext): void {
  addEndpoint(server, paths.consent, {
    GET: async (request, reply) => {
      const bound = await findAuthorization(context, request, queryParameters(request));
      const person = await findPerson(context, bound, request);
      return showConsent(context, bound, person, request, reply);
    },
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      const bound = await findAuthorization(context, request, parameters);
      const person = await findPerson(context, bound, request);
      checkFormToken(context, request, parameters, bound, person.account.id);
      return decide(context, bound, person, parameters, reply);
    },
  });
}

/**
 * Who is signed in, if that is good enough for the request: this page must not be a way around a sign-in that the request
 * asks for.
 */
async function findPerson(
  context: RouteContext,
  { transaction }: BoundTransaction<AuthorizationTransaction>,
  request: FastifyRequest,
): Promise<SignedInPerson> {
  const { services } = context;
  const session = await readSession(context, request);
  const account = session && (await services.accounts.findById(session.subject));
  if (!session || !account) throw pageExpired('not signed in');
  const situation = {
    request: transaction.request,
    now: services.clock(),
    waitingSince: transaction.createdAt,
  };
  if (!honoursSignIn(situation, session, account)) throw pageExpired('sign-in is too old');
  if (isSomebodyElse(transaction.request, session)) throw pageExpired('somebody else');
  return { session, account };
}

async function decide(
  context: RouteContext,
  { transaction }: BoundTransaction<AuthorizationTransaction>,
  { session }: SignedInPerson,
  parameters: Parameters,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { services } = context;
  const decision = parameters.get('decision');
  if (decision !== 'allow' && decision !== 'deny') throw pageExpired('no decision');
  const client = await findRequestingClient(services, transaction.request);
  if (!(await services.transactions.end(transaction))) throw pageExpired('answered already');
  const { request } = transaction;
  const { clientId, scopes } = request;
  const { subject } = session;
  services.audit.record({
    event: decision === 'allow' ? 'consent_given' : 'consent_denied',
    subject,
    clientId,
    scopes,
    address: reply.request.ip,
  });
  if (decision === 'deny') {
    return redirectError(
      context,
      request,
      new OAuthError('access_denied', 'The person denied the request.'),
      reply,
      session,
    );
  }
  await services.consents.allow(subject, { clientId, incarnation: client.incarnation }, scopes);
  return redirect(reply, await issueCode(request, session, services));
}

async function showConsent(
  context: RouteContext,
  { sealed, browserHash, transaction }: BoundTransaction<AuthorizationTransaction>,
  { account }: SignedInPerson,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { redirectUri, scopes, uiLocales } = transaction.request;
  const client = await findRequestingClient(context.services, transaction.request);
  const texts = chooseTexts(uiLocales, request.headers['accept-language']);
  const csrf = formToken(context, browserHash, transaction.id, account.id);
  const { host, protocol } = new URL(redirectUri);
  const page = {
    clientName: client.metadata.client_name,
    isUnvetted: client.metadata.unvetted,
    destination: host === '' ? protocol : host,
    email: account.email,
    scopes,
    transaction: sealed,
    csrf,
  };
  return sendPage(reply, renderConsent(page, texts), { formTarget: formActionSource(redirectUri) });
}
