import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setPassword } from '../administration/accounts.ts';
import { listApplications, withdrawConsent } from '../administration/applications.ts';
import { endSession, endSessionsOf } from '../administration/end-session.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import { checkSameOrigin } from '../http/same-origin.ts';
import { sendPage } from '../http/send-page.ts';
import { chooseTexts } from '../pages/language.ts';
import { renderAccount, type AccountProblem } from '../pages/account-page.ts';
import type { Parameters } from '../parameters.ts';
import { passwordProblem } from '../passwords/password-problem.ts';
import { beginSession } from './begin-session.ts';
import { formToken, isFormToken } from './bound-form.ts';
import { readKnownBrowser } from './login.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../http/paths.ts';
import { redirect } from './proceed.ts';
import type { RouteContext } from './route-context.ts';
import { askToSignIn, findPerson, type SignedInPerson } from './signed-in-person.ts';

type Action = (
  context: RouteContext,
  person: SignedInPerson,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** The page where a person sees and ends sessions and consents, and changes the password. */
export function addAccountRoutes(server: FastifyInstance, context: RouteContext): void {
  addEndpoint(server, paths.account, {
    GET: async (request, reply) => {
      const person = await findPerson(context, request);
      if (!person) return askToSignIn(context, paths.account, request, reply);
      return showAccount(context, person, request, reply);
    },
  });
  addAction(server, context, 'sessions', endSessions);
  addAction(server, context, 'applications', withdraw);
  addAction(server, context, 'password', changePassword);
}

/** A form of the page, which only the person's own browser can send. */
function addAction(server: FastifyInstance, context: RouteContext, name: string, action: Action): void {
  addEndpoint(server, `${paths.account}/${name}`, {
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      parameters.assertUnrepeated();
      checkSameOrigin(request, context.services.settings.issuer);
      const person = await findPerson(context, request);
      if (!person) throw pageExpired('not signed in');
      const form = accountForm(context, person, request, reply);
      if (!isFormToken(context, parameters.get('csrf'), ...form)) throw pageExpired('wrong form token');
      return action(context, person, parameters, request, reply);
    },
  });
}

/** What binds the page's forms: the browser, the session and the account. */
function accountForm(
  context: RouteContext,
  { account, session }: SignedInPerson,
  request: FastifyRequest,
  reply: FastifyReply,
): readonly [browserHash: string, form: string, subject: string] {
  return [context.cookies.ensureBrowser(request, reply), `account ${session.sessionId}`, account.id];
}

/** One session, or with `others` all but this browser's. */
const endSessions: Action = async (context, { account, session: own }, parameters, _request, reply) => {
  const { services } = context;
  if (parameters.get('others') !== undefined) {
    await endSessionsOf(account.id, services, { except: own.sessionId });
  }
  const sessionIds = await services.sessions.listIds(account.id);
  const chosen = sessionIds.find((sessionId) => sessionId === parameters.get('session'));
  if (chosen !== undefined) await endSession({ sessionId: chosen, subject: account.id }, services);
  return backToAccount(context, reply);
};

const withdraw: Action = async (context, { account }, parameters, request, reply) => {
  const clientId = parameters.get('client_id');
  if (clientId !== undefined) await withdrawConsent(context.services, account.id, clientId, request.ip);
  return backToAccount(context, reply);
};

/** The current password is asked for and throttled as in signing in; the browser goes on with a new session. */
const changePassword: Action = async (context, person, parameters, request, reply) => {
  const { account } = person;
  const { services } = context;
  const problem = (kind: AccountProblem, status: number): Promise<FastifyReply> =>
    showAccount(context, person, request, reply, kind, status);
  const password = parameters.get('new_password') ?? '';
  const unfit = passwordProblem(password, { ...account, issuer: services.settings.issuer });
  if (unfit !== undefined) return problem(unfit, 400);
  const knownBrowser = readKnownBrowser(context, request, account.email);
  const attempt = { email: account.email, address: request.ip, knownBrowser };
  const current = parameters.get('password') ?? '';
  const outcome = await services.signIn(attempt, current, 'confirmation');
  if (outcome.kind === 'throttled') reply.header('retry-after', String(outcome.waitS));
  if (outcome.kind !== 'signed_in') return problem(outcome.kind, outcome.kind === 'refused' ? 403 : 429);
  if (!(await setPassword(services, account, password, 'password_changed'))) {
    throw pageExpired('account has changed meanwhile');
  }
  services.accountMail?.notify(
    account,
    'password_changed',
    chooseTexts(undefined, request.headers['accept-language']),
  );
  await beginSession(context, { account, authenticatedAt: services.clock() }, request, reply);
  return redirect(reply, `${services.settings.issuer}${paths.account}?changed=1`);
};

function backToAccount({ services }: RouteContext, reply: FastifyReply): FastifyReply {
  return redirect(reply, `${services.settings.issuer}${paths.account}`);
}

async function showAccount(
  context: RouteContext,
  person: SignedInPerson,
  request: FastifyRequest,
  reply: FastifyReply,
  problem?: AccountProblem,
  status = 200,
): Promise<FastifyReply> {
  const { services } = context;
  const { account, session: own } = person;
  const sessions = await services.sessions.list(account.id, services.clock());
  const page = {
    csrf: formToken(context, ...accountForm(context, person, request, reply)),
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
    applications: await listApplications(services, account.id),
  };
  const texts = chooseTexts(undefined, request.headers['accept-language']);
  return sendPage(reply, renderAccount(page, texts), { status });
}
