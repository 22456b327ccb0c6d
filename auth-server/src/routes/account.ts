import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setPassword, type AccountAdministrationFeatures } from '../administration/accounts.ts';
import {
  listApplications,
  withdrawConsent,
  type ApplicationFeatures,
} from '../administration/applications.ts';
import { endSession, endSessionsOf, type EndSessionFeatures } from '../administration/end-session.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import { checkSameOrigin } from '../http/same-origin.ts';
import { sendPage } from '../http/send-page.ts';
import { textsFor } from '../http/texts-for.ts';
import { renderAccount, type AccountProblem } from '../pages/account-page.ts';
import type { Parameters } from '../parameters.ts';
import { passwordProblem } from '../passwords/password-problem.ts';
import { beginSession, type BeginSessionFeatures } from './begin-session.ts';
import { formToken, isFormToken, type BoundFormFeatures } from './bound-form.ts';
import { readKnownBrowser, type LoginFeatures } from './login.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../paths.ts';
import { redirect } from './send-response.ts';
import { askToSignIn, findUser, type SignedInUser, type SignedInUserFeatures } from './signed-in-user.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { SignInFeatures } from '../accounts/sign-in/sign-in-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { AdministrationFeatures } from '../administration/account-mail.ts';

/** What the account page works with. */
export type AccountPageFeatures = HasClock &
  HasSettings &
  Pick<AccountFeatures, 'sessions'> &
  Pick<SignInFeatures, 'signIn'> &
  Pick<HttpFeatures, 'cookies'> &
  AdministrationFeatures &
  AccountAdministrationFeatures &
  ApplicationFeatures &
  EndSessionFeatures &
  BeginSessionFeatures &
  BoundFormFeatures &
  LoginFeatures &
  SignedInUserFeatures;

type Action = (
  features: AccountPageFeatures,
  user: SignedInUser,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** The page where a user sees and ends sessions and consents, and changes the password. */
export function addAccountRoutes(server: FastifyInstance, features: AccountPageFeatures): void {
  addEndpoint(server, paths.account, {
    GET: async (request, reply) => {
      const user = await findUser(features, request);
      if (!user) return askToSignIn(features, paths.account, request, reply);
      return showAccount(features, user, request, reply);
    },
  });
  addAction(server, features, 'sessions', endSessions);
  addAction(server, features, 'applications', withdraw);
  addAction(server, features, 'password', changePassword);
}

/** A form of the page, which only the user's own browser can send. */
function addAction(
  server: FastifyInstance,
  features: AccountPageFeatures,
  name: string,
  action: Action,
): void {
  addEndpoint(server, `${paths.account}/${name}`, {
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      parameters.assertUnrepeated();
      checkSameOrigin(request, features.settings.issuer);
      const user = await findUser(features, request);
      if (!user) throw pageExpired('not signed in');
      const form = accountForm(features, user, request, reply);
      if (!isFormToken(features, parameters.get('csrf'), ...form)) throw pageExpired('wrong form token');
      return action(features, user, parameters, request, reply);
    },
  });
}

/** What binds the page's forms: the browser, the session and the account. */
function accountForm(
  features: AccountPageFeatures,
  { account, session }: SignedInUser,
  request: FastifyRequest,
  reply: FastifyReply,
): readonly [browserHash: string, form: string, subject: string] {
  return [features.cookies.ensureBrowser(request, reply), `account ${session.sessionId}`, account.id];
}

/** One session, or with `others` all but this browser's. */
const endSessions: Action = async (features, { account, session: own }, parameters, _request, reply) => {
  if (parameters.get('others') !== undefined) {
    await endSessionsOf(account.id, features, { except: own.sessionId });
  }
  const sessionIds = await features.sessions.listIds(account.id);
  const chosen = sessionIds.find((sessionId) => sessionId === parameters.get('session'));
  if (chosen !== undefined) await endSession({ sessionId: chosen, subject: account.id }, features);
  return backToAccount(features, reply);
};

const withdraw: Action = async (features, { account }, parameters, request, reply) => {
  const clientId = parameters.get('client_id');
  if (clientId !== undefined) await withdrawConsent(features, account.id, clientId, request.ip);
  return backToAccount(features, reply);
};

/** The current password is asked for and throttled as in signing in; the browser goes on with a new session. */
const changePassword: Action = async (features, user, parameters, request, reply) => {
  const { account } = user;
  const problem = (kind: AccountProblem, status: number): Promise<FastifyReply> =>
    showAccount(features, user, request, reply, kind, status);
  const password = parameters.get('new_password') ?? '';
  const unfit = passwordProblem(password, { ...account, issuer: features.settings.issuer });
  if (unfit !== undefined) return problem(unfit, 400);
  const knownBrowser = readKnownBrowser(features, request, account.email);
  const attempt = { email: account.email, address: request.ip, knownBrowser };
  const current = parameters.get('password') ?? '';
  const outcome = await features.signIn(attempt, current, 'confirmation');
  if (outcome.kind === 'throttled') reply.header('retry-after', String(outcome.waitS));
  if (outcome.kind !== 'signed_in') return problem(outcome.kind, outcome.kind === 'rejected' ? 403 : 429);
  if (!(await setPassword(features, account, password, 'password_changed'))) {
    throw pageExpired('account has changed meanwhile');
  }
  features.accountMail?.notify(account, 'password_changed', textsFor(request));
  await beginSession(features, { account, authenticatedAt: features.clock() }, request, reply);
  return redirect(reply, `${features.settings.issuer}${paths.account}?changed=1`);
};

function backToAccount(features: AccountPageFeatures, reply: FastifyReply): FastifyReply {
  return redirect(reply, `${features.settings.issuer}${paths.account}`);
}

async function showAccount(
  features: AccountPageFeatures,
  user: SignedInUser,
  request: FastifyRequest,
  reply: FastifyReply,
  problem?: AccountProblem,
  status = 200,
): Promise<FastifyReply> {
  const { account, session: own } = user;
  const sessions = await features.sessions.list(account.id, features.clock());
  const page = {
    csrf: formToken(features, ...accountForm(features, user, request, reply)),
    name: account.name,
    email: account.email,
    problem,
    changed: request.url.endsWith('?changed=1'),
    sessions: sessions.map(({ sessionId, authenticatedAt, browser }) => ({
      key: sessionId,
      browser,
      authenticatedAt,
      isOwn: sessionId === own.sessionId,
    })),
    applications: await listApplications(features, account.id),
  };
  const texts = textsFor(request);
  return sendPage(reply, renderAccount(page, texts), { status });
}
