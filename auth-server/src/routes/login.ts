import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/accounts.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { chooseTexts } from '../pages/language.ts';
import { renderSignIn, type SignInPage } from '../pages/pages.ts';
import { sendPage } from '../http/send-page.ts';
import type { Parameters } from '../parameters.ts';
import { formActionSource } from '../clients/redirect-uri.ts';
import type { Session } from '../accounts/session-store.ts';
import type { Transaction } from '../authorize/transactions.ts';
import { beginSession, isKnownBrowserMac } from './begin-session.ts';
import { checkFormToken, findTransaction, formToken, type BoundTransaction } from './bound-form.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../http/paths.ts';
import { proceed, redirect } from './proceed.ts';
import type { RouteContext } from './route-context.ts';

const MAX_EMAIL_LENGTH = 320;

/** The page where people sign in. */
export function addLoginRoutes(server: FastifyInstance, context: RouteContext): void {
  addEndpoint(server, paths.login, {
    GET: async (request, reply) => {
      const bound = await findTransaction(context, request, queryParameters(request));
      return showSignIn(context, bound, request, reply, { email: hintOf(bound.transaction) });
    },
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      const bound = await findTransaction(context, request, parameters);
      checkFormToken(context, request, parameters, bound, '');
      return submit(context, bound, parameters, request, reply);
    },
  });
}

async function submit(
  context: RouteContext,
  bound: BoundTransaction,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const email = (parameters.get('email') ?? '').slice(0, MAX_EMAIL_LENGTH).trim();
  const password = parameters.get('password') ?? '';
  const knownBrowser = readKnownBrowser(context, request, email);
  const outcome = await context.services.signIn({ email, address: request.ip, knownBrowser }, password);
  switch (outcome.kind) {
    case 'signed_in': {
      const session = await beginSession(context, outcome, request, reply);
      if (knownBrowser === undefined) notifyOfNewDevice(context, outcome.account, bound, session, request);
      return goOn(context, bound, session, request, reply);
    }
    case 'refused':
      return showSignIn(context, bound, request, reply, { email, problem: 'refused' }, 403);
    case 'throttled':
      reply.header('retry-after', String(outcome.waitS));
      return showSignIn(context, bound, request, reply, { email, problem: 'throttled' }, 429);
    default:
      return outcome satisfies never;
  }
}

function notifyOfNewDevice(
  { services }: RouteContext,
  account: Account,
  { transaction }: BoundTransaction,
  { browser }: Session,
  request: FastifyRequest,
): void {
  const uiLocales = transaction.kind === 'authorization' ? transaction.request.uiLocales : undefined;
  const texts = chooseTexts(uiLocales, request.headers['accept-language']);
  services.accountMail?.notify(account, 'new_device', texts, browser);
}

/** To the next step of an authorization request, or to the page that was to be visited. */
async function goOn(
  context: RouteContext,
  bound: BoundTransaction,
  session: Session,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { transaction } = bound;
  if (transaction.kind === 'authorization') {
    return proceed(context, { request: transaction.request, session, bound }, request, reply);
  }
  const { settings, transactions } = context.services;
  await transactions.end(transaction);
  return redirect(reply, `${settings.issuer}${transaction.path}`);
}

/** What proves that an account has signed in with this browser before, if it has. */
export function readKnownBrowser(
  { services, cookies }: RouteContext,
  request: FastifyRequest,
  email: string,
): string | undefined {
  const [id = '', mac = ''] = (cookies.readKnownBrowser(request) ?? '').split('.', 2);
  return isKnownBrowserMac(services.csrfKeys, mac, id, email) ? id : undefined;
}

async function showSignIn(
  context: RouteContext,
  { sealed, browserHash, transaction }: BoundTransaction,
  request: FastifyRequest,
  reply: FastifyReply,
  shown: Pick<SignInPage, 'email' | 'problem'>,
  status = 200,
): Promise<FastifyReply> {
  const authorization = transaction.kind === 'authorization' ? transaction.request : undefined;
  const texts = chooseTexts(authorization?.uiLocales, request.headers['accept-language']);
  const clientName = authorization && (await clientNameOf(authorization.clientId, context));
  const csrf = formToken(context, browserHash, transaction.id, '');
  const { settings, accountMail } = context.services;
  const offers = { reset: accountMail !== undefined, signUp: settings.signUp };
  const page = { ...shown, clientName, transaction: sealed, csrf, offers };
  const formTarget = authorization && formActionSource(authorization.redirectUri);
  return sendPage(reply, renderSignIn(page, texts), { status, formTarget });
}

async function clientNameOf(clientId: string, { services }: RouteContext): Promise<string> {
  const client = await services.clients.find(clientId);
  if (!client) throw pageExpired('client was removed');
  return client.metadata.client_name;
}

function hintOf(transaction: Transaction): string {
  return transaction.kind === 'authorization' ? (transaction.request.loginHint ?? '') : '';
}
