import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/accounts.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { textsFor } from '../http/texts-for.ts';
import { renderSignIn, type SignInPage } from '../pages/pages.ts';
import { sendPage } from '../http/send-page.ts';
import type { Parameters } from '../parameters.ts';
import type { ClientMetadata } from '../clients/client-metadata.ts';
import { formActionSource } from '../clients/redirect-uri.ts';
import type { Session } from '../accounts/session-store.ts';
import type { Transaction } from '../authorize/transactions.ts';
import { beginSession, isKnownBrowserMac, type BeginSessionFeatures } from './begin-session.ts';
import {
  checkFormToken,
  findTransaction,
  formToken,
  type BoundTransaction,
  type BoundFormFeatures,
} from './bound-form.ts';
import { clientOnPage } from './client-on-page.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../paths.ts';
import { proceed, type ProceedFeatures } from './proceed.ts';
import { redirect } from './send-response.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { SignInFeatures } from '../accounts/sign-in/sign-in-features.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { AuthorizeFeatures } from '../authorize/authorize-features.ts';
import type { AdministrationFeatures } from '../administration/account-mail.ts';

/** What the sign-in page works with. */
export type LoginFeatures = HasSettings &
  Pick<SignInFeatures, 'signIn'> &
  Pick<ClientFeatures, 'clients'> &
  Pick<HttpFeatures, 'cookies' | 'csrfKeys'> &
  Pick<AuthorizeFeatures, 'transactions'> &
  AdministrationFeatures &
  BeginSessionFeatures &
  BoundFormFeatures &
  ProceedFeatures;

const MAX_EMAIL_LENGTH = 320;

/** The page where users sign in. */
export function addLoginRoutes(server: FastifyInstance, features: LoginFeatures): void {
  addEndpoint(server, paths.login, {
    GET: async (request, reply) => {
      const parameters = queryParameters(request);
      const bound = await findTransaction(features, request, parameters);
      const isAnother = parameters.get('switch') !== undefined;
      return showSignIn(features, bound, request, reply, {
        email: isAnother ? '' : hintOf(bound.transaction),
      });
    },
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      const bound = await findTransaction(features, request, parameters);
      checkFormToken(features, request, parameters, bound, '');
      return submit(features, bound, parameters, request, reply);
    },
  });
}

async function submit(
  features: LoginFeatures,
  bound: BoundTransaction,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const email = (parameters.get('email') ?? '').slice(0, MAX_EMAIL_LENGTH).trim();
  const password = parameters.get('password') ?? '';
  const knownBrowser = readKnownBrowser(features, request, email);
  const outcome = await features.signIn({ email, address: request.ip, knownBrowser }, password);
  switch (outcome.kind) {
    case 'signed_in': {
      const session = await beginSession(features, outcome, request, reply);
      if (knownBrowser === undefined) notifyOfNewDevice(features, outcome.account, bound, session, request);
      return goOn(features, bound, session, request, reply);
    }
    case 'rejected':
      return showSignIn(features, bound, request, reply, { email, problem: 'rejected' }, 403);
    case 'throttled':
      reply.header('retry-after', String(outcome.waitS));
      return showSignIn(features, bound, request, reply, { email, problem: 'throttled' }, 429);
    default:
      return outcome satisfies never;
  }
}

function notifyOfNewDevice(
  features: LoginFeatures,
  account: Account,
  { transaction }: BoundTransaction,
  { browser }: Session,
  request: FastifyRequest,
): void {
  const uiLocales = transaction.kind === 'authorization' ? transaction.request.uiLocales : undefined;
  const texts = textsFor(request, uiLocales);
  features.accountMail?.notify(account, 'new_device', texts, browser);
}

/** To the next step of an authorization request, or to the page that was to be visited. */
async function goOn(
  features: LoginFeatures,
  bound: BoundTransaction,
  session: Session,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { transaction } = bound;
  if (transaction.kind === 'authorization') {
    return proceed(features, { request: transaction.request, session, bound }, request, reply);
  }
  const { settings, transactions } = features;
  await transactions.end(transaction);
  return redirect(reply, `${settings.issuer}${transaction.path}`);
}

/** What proves that an account has signed in with this browser before, if it has. */
export function readKnownBrowser(
  features: LoginFeatures,
  request: FastifyRequest,
  email: string,
): string | undefined {
  const [id = '', mac = ''] = (features.cookies.readKnownBrowser(request) ?? '').split('.', 2);
  return isKnownBrowserMac(features.csrfKeys, mac, id, email) ? id : undefined;
}

async function showSignIn(
  features: LoginFeatures,
  { sealed, browserHash, transaction }: BoundTransaction,
  request: FastifyRequest,
  reply: FastifyReply,
  shown: Pick<SignInPage, 'email' | 'problem'>,
  status = 200,
): Promise<FastifyReply> {
  const authorization = transaction.kind === 'authorization' ? transaction.request : undefined;
  const texts = textsFor(request, authorization?.uiLocales);
  const client =
    authorization &&
    clientOnPage(await findClient(authorization.clientId, features), authorization.redirectUri);
  const csrf = formToken(features, browserHash, transaction.id, '');
  const { settings, accountMail } = features;
  const offers = { reset: accountMail !== undefined, signUp: settings.signUp };
  const page = { ...shown, client, transaction: sealed, csrf, offers };
  const formTarget = authorization && formActionSource(authorization.redirectUri);
  return sendPage(reply, renderSignIn(page, texts), { status, formTarget });
}

async function findClient(clientId: string, features: LoginFeatures): Promise<ClientMetadata> {
  const client = await features.clients.find(clientId);
  if (!client) throw pageExpired('client was removed');
  return client.metadata;
}

function hintOf(transaction: Transaction): string {
  return transaction.kind === 'authorization' ? (transaction.request.loginHint ?? '') : '';
}
