import type { FastifyReply } from 'fastify';
import { emailProblem, nameProblem } from '../accounts/account-rules.ts';
import { LastAdministrator } from '../accounts/account-store.ts';
import { changeAccount, deleteAccount, setPassword } from '../administration/accounts.ts';
import { withdrawConsent } from '../administration/applications.ts';
import { endSession, endSessionsOf } from '../administration/end-session.ts';
import { exportAccount } from '../administration/export-account.ts';
import type { Actor } from '../audit/audit.ts';
import { sendPage } from '../http/send-page.ts';
import { textsFor } from '../http/texts-for.ts';
import { renderNotice, type AccountFormName } from '../pages/account-page.ts';
import type { AccountDone } from '../pages/texts/account-texts.ts';
import type { Parameters } from '../parameters.ts';
import { passwordProblem } from '../passwords/password-problem.ts';
import { paths } from '../paths.ts';
import { beginSession } from './begin-session.ts';
import { readKnownBrowser } from './login.ts';
import { pageExpired } from './page-errors.ts';
import { redirect } from './send-response.ts';
import { showAccount, type AccountPageFeatures, type AccountVisit } from './show-account.ts';

/** What a form of the account page does. */
type Action = (
  features: AccountPageFeatures,
  visit: AccountVisit,
  parameters: Parameters,
) => Promise<FastifyReply>;

/** Each form by its address below the page's. Those that are listed later ask for the password once more. */
export const accountActions: Readonly<Record<string, Action>> = Object.freeze({
  /** One session, or with `others` all but this browser's. */
  sessions: async (features, visit, parameters) => {
    const { account, session: own } = visit.user;
    if (parameters.get('others') !== undefined) {
      await endSessionsOf(account.id, features, { except: own.sessionId });
    }
    const sessionIds = await features.sessions.listIds(account.id);
    const chosen = sessionIds.find((sessionId) => sessionId === parameters.get('session'));
    if (chosen !== undefined) await endSession({ sessionId: chosen, subject: account.id }, features);
    return backToAccount(features, visit, 'sessions');
  },

  applications: async (features, visit, parameters) => {
    const clientId = parameters.get('client_id');
    const { account } = visit.user;
    if (clientId !== undefined) await withdrawConsent(features, account.id, clientId, visit.request.ip);
    return backToAccount(features, visit, 'applications');
  },

  name: async (features, visit, parameters) => {
    const name = (parameters.get('name') ?? '').trim();
    if (nameProblem(name) !== undefined)
      return showAccount(features, visit, { problem: { form: 'name', kind: 'name' }, status: 400 });
    await changeAccount(features, visit.user.account.id, { name }, ownActor(visit));
    return backToAccount(features, visit, 'name');
  },

  /** The address changes when its reader confirms it. Whether another account has it, no one learns here. */
  email: async (features, visit, parameters) => {
    const { accountMail, mailLimits } = features;
    if (accountMail === undefined) throw pageExpired('no mail');
    const email = (parameters.get('email') ?? '').trim();
    if (emailProblem(email) !== undefined)
      return showAccount(features, visit, { problem: { form: 'email', kind: 'email' }, status: 400 });
    return afterPassword(features, visit, parameters, 'email', async () => {
      const { request, reply, user } = visit;
      const waitS = await mailLimits.reserveSender(request.ip);
      if (waitS > 0) {
        reply.header('retry-after', String(waitS));
        return showAccount(features, visit, { problem: { form: 'email', kind: 'throttled' }, status: 429 });
      }
      const knownBrowser = readKnownBrowser(features, request, user.account.email);
      const from = { address: request.ip, knownBrowser };
      accountMail.confirmAddress(user.account, email, from, textsFor(request));
      return backToAccount(features, visit, 'email');
    });
  },

  /** The browser goes on with a new session. */
  password: async (features, visit, parameters) => {
    const { user, request, reply } = visit;
    const { account } = user;
    const password = parameters.get('new_password') ?? '';
    const unfit = passwordProblem(password, { ...account, issuer: features.settings.issuer });
    if (unfit !== undefined)
      return showAccount(features, visit, { problem: { form: 'password', kind: unfit }, status: 400 });
    return afterPassword(features, visit, parameters, 'password', async () => {
      if (!(await setPassword(features, account, password, 'password_changed'))) {
        throw pageExpired('account has changed meanwhile');
      }
      features.accountMail?.notify(account, 'password_changed', textsFor(request));
      await beginSession(features, { account, authenticatedAt: features.clock() }, request, reply);
      return backToAccount(features, visit, 'password');
    });
  },

  export: (features, visit, parameters) =>
    afterPassword(features, visit, parameters, 'export', async () => {
      const exported = await exportAccount(features, visit.user.account);
      return visit.reply
        .headers({
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': 'attachment; filename="account.json"',
          'cache-control': 'no-store',
        })
        .send(`${JSON.stringify(exported, undefined, 2)}\n`);
    }),

  delete: (features, visit, parameters) =>
    afterPassword(features, visit, parameters, 'delete', async () => {
      const texts = textsFor(visit.request);
      try {
        await deleteAccount(features, visit.user.account, ownActor(visit), texts);
      } catch (error) {
        if (!(error instanceof LastAdministrator)) throw error;
        return showAccount(features, visit, {
          problem: { form: 'delete', kind: 'lastAdministrator' },
          status: 409,
        });
      }
      features.cookies.clearSession(visit.reply);
      const { title, done: text } = texts.account.delete;
      return sendPage(visit.reply, renderNotice({ title, text }, texts));
    }),
});

/** The current password is asked for and throttled as in signing in. */
async function afterPassword(
  features: AccountPageFeatures,
  visit: AccountVisit,
  parameters: Parameters,
  form: AccountFormName,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { user, request, reply } = visit;
  const { email } = user.account;
  const attempt = { email, address: request.ip, knownBrowser: readKnownBrowser(features, request, email) };
  const outcome = await features.signIn(attempt, parameters.get('password') ?? '', 'confirmation');
  if (outcome.kind === 'signed_in') return work();
  if (outcome.kind === 'throttled') reply.header('retry-after', String(outcome.waitS));
  const status = outcome.kind === 'rejected' ? 403 : 429;
  return showAccount(features, visit, { problem: { form, kind: outcome.kind }, status });
}

function ownActor({ user, request }: AccountVisit): Actor {
  return { name: `user ${user.account.id}`, address: request.ip };
}

function backToAccount(
  { settings }: AccountPageFeatures,
  { reply }: AccountVisit,
  done: AccountDone,
): FastifyReply {
  return redirect(reply, `${settings.issuer}${paths.account}?done=${done}`);
}
