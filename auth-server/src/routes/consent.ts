import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { issueCode, type IssueCodeFeatures } from '../authorize/authorization-response.ts';
import type { Account } from '../accounts/accounts.ts';
import { honoursSignIn, isAnotherUser } from '../authorize/next-step.ts';
import { OAuthError } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { textsFor } from '../http/texts-for.ts';
import { renderConsent } from '../pages/pages.ts';
import { sendPage } from '../http/send-page.ts';
import type { Parameters } from '../parameters.ts';
import { formActionSource } from '../clients/redirect-uri.ts';
import type { AuthorizationTransaction } from '../authorize/transactions.ts';
import type { Session } from '../accounts/session-store.ts';
import {
  checkFormToken,
  findAuthorization,
  formToken,
  type BoundTransaction,
  type BoundFormFeatures,
} from './bound-form.ts';
import { clientOnPage } from './client-on-page.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../paths.ts';
import { findRequestingClient, redirectError, type ProceedFeatures } from './proceed.ts';
import { sendResponse } from './send-response.ts';
import { readSession, type ReadSessionFeatures } from './read-session.ts';
import type { HasClock } from '../clock.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { AuthorizeFeatures } from '../authorize/authorize-features.ts';

/** What the consent page works with. */
export type ConsentFeatures = HasClock &
  Pick<AuditFeatures, 'audit'> &
  Pick<AccountFeatures, 'accounts' | 'consents'> &
  Pick<AuthorizeFeatures, 'transactions'> &
  IssueCodeFeatures &
  BoundFormFeatures &
  ProceedFeatures &
  ReadSessionFeatures;

interface SignedInUser {
  readonly session: Session;
  readonly account: Account;
}

/** The page where users allow or deny. */
export function addConsentRoutes(server: FastifyInstance, features: ConsentFeatures): void {
  addEndpoint(server, paths.consent, {
    GET: async (request, reply) => {
      const bound = await findAuthorization(features, request, queryParameters(request));
      const user = await findUser(features, bound, request);
      return showConsent(features, bound, user, request, reply);
    },
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      const bound = await findAuthorization(features, request, parameters);
      const user = await findUser(features, bound, request);
      checkFormToken(features, request, parameters, bound, user.account.id);
      return decide(features, bound, user, parameters, reply);
    },
  });
}

/**
 * Who is signed in, if that is good enough for the request: this page must not be a way around a sign-in that the request
 * asks for.
 */
async function findUser(
  features: ConsentFeatures,
  { transaction }: BoundTransaction<AuthorizationTransaction>,
  request: FastifyRequest,
): Promise<SignedInUser> {
  const session = await readSession(features, request);
  const account = session && (await features.accounts.findById(session.subject));
  if (!session || !account) throw pageExpired('not signed in');
  const situation = {
    request: transaction.request,
    now: features.clock(),
    waitingSince: transaction.createdAt,
  };
  if (!honoursSignIn(situation, session, account)) throw pageExpired('sign-in is too old');
  if (isAnotherUser(transaction.request, session)) throw pageExpired('another user');
  return { session, account };
}

async function decide(
  features: ConsentFeatures,
  { transaction }: BoundTransaction<AuthorizationTransaction>,
  { session }: SignedInUser,
  parameters: Parameters,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const decision = parameters.get('decision');
  if (decision !== 'allow' && decision !== 'deny') throw pageExpired('no decision');
  const client = await findRequestingClient(features, transaction.request);
  if (!(await features.transactions.end(transaction))) throw pageExpired('answered already');
  const { request } = transaction;
  const { clientId, scopes } = request;
  const { subject } = session;
  features.audit.record({
    event: decision === 'allow' ? 'consent_given' : 'consent_denied',
    subject,
    clientId,
    scopes,
    address: reply.request.ip,
  });
  if (decision === 'deny') {
    return redirectError(
      features,
      request,
      new OAuthError('access_denied', 'The user denied the request.'),
      reply,
      session,
    );
  }
  await features.consents.allow(subject, { clientId, incarnation: client.incarnation }, scopes);
  return sendResponse(request, await issueCode(request, session, features), reply);
}

async function showConsent(
  features: ConsentFeatures,
  { sealed, browserHash, transaction }: BoundTransaction<AuthorizationTransaction>,
  { account }: SignedInUser,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { redirectUri, scopes, uiLocales } = transaction.request;
  const client = await findRequestingClient(features, transaction.request);
  const texts = textsFor(request, uiLocales);
  const csrf = formToken(features, browserHash, transaction.id, account.id);
  const page = {
    client: clientOnPage(client.metadata, redirectUri),
    email: account.email,
    scopes,
    transaction: sealed,
    csrf,
  };
  return sendPage(reply, renderConsent(page, texts), { formTarget: formActionSource(redirectUri) });
}
