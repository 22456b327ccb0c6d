import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountAdministrationFeatures } from '../administration/accounts.ts';
import type { AdministrationFeatures } from '../administration/account-mail.ts';
import { listApplications } from '../administration/applications.ts';
import type { EndSessionFeatures } from '../administration/end-session.ts';
import type { ExportAccountFeatures } from '../administration/export-account.ts';
import { listOwnEvents } from '../administration/own-events.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { SignInFeatures } from '../accounts/sign-in/sign-in-features.ts';
import type { HasClock } from '../clock.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import { sendPage } from '../http/send-page.ts';
import { textsFor } from '../http/texts-for.ts';
import type { MailFeatures } from '../mail/mail-limits.ts';
import { renderAccount, type AccountPage, type AccountProblem } from '../pages/account-page.ts';
import type { AccountDone } from '../pages/texts/account-texts.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { BeginSessionFeatures } from './begin-session.ts';
import { formToken, type BoundFormFeatures } from './bound-form.ts';
import type { LoginFeatures } from './login.ts';
import type { SignedInUser, SignedInUserFeatures } from './signed-in-user.ts';

/** What the account page works with. */
export type AccountPageFeatures = HasClock &
  HasSettings &
  Pick<AccountFeatures, 'sessions'> &
  Pick<SignInFeatures, 'signIn'> &
  Pick<HttpFeatures, 'cookies'> &
  MailFeatures &
  AdministrationFeatures &
  AccountAdministrationFeatures &
  ExportAccountFeatures &
  EndSessionFeatures &
  BeginSessionFeatures &
  BoundFormFeatures &
  LoginFeatures &
  SignedInUserFeatures;

/** A form of the account page that was sent by its user. */
export interface AccountVisit {
  readonly user: SignedInUser;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What has just happened on the page. */
export interface AccountOutcome {
  readonly problem?: AccountProblem;
  readonly done?: AccountDone | undefined;
  /** @default 200 */
  readonly status?: number;
}

/** Events that are shown. */
const MOST_EVENTS = 20;

/** What binds the page's forms: the browser, the session and the account. */
export function accountForm(
  features: AccountPageFeatures,
  { user: { account, session }, request, reply }: AccountVisit,
): readonly [browserHash: string, form: string, subject: string] {
  return [features.cookies.ensureBrowser(request, reply), `account ${session.sessionId}`, account.id];
}

/** Sends the account page. */
export async function showAccount(
  features: AccountPageFeatures,
  visit: AccountVisit,
  { problem, done, status = 200 }: AccountOutcome = {},
): Promise<FastifyReply> {
  const { account } = visit.user;
  const page = {
    csrf: formToken(features, ...accountForm(features, visit)),
    name: account.name,
    email: account.email,
    problem,
    done,
    canMail: features.accountMail !== undefined,
    ...(await listsOf(features, visit.user)),
  };
  return sendPage(visit.reply, renderAccount(page, textsFor(visit.request)), { status });
}

async function listsOf(
  features: AccountPageFeatures,
  { account, session: own }: SignedInUser,
): Promise<Pick<AccountPage, 'sessions' | 'applications' | 'events'>> {
  const [sessions, applications, events] = await Promise.all([
    features.sessions.list(account.id, features.clock()),
    listApplications(features, account.id),
    listOwnEvents(features, account, MOST_EVENTS),
  ]);
  return {
    sessions: sessions.map(({ sessionId, authenticatedAt, browser, seen }) => ({
      key: sessionId,
      browser,
      authenticatedAt,
      seen,
      isOwn: sessionId === own.sessionId,
    })),
    applications,
    events: await Promise.all(
      events.map(async ({ clientId, ...event }) => {
        const client = clientId === undefined ? undefined : await features.clients.find(clientId);
        return { ...event, clientName: client?.metadata.client_name ?? clientId };
      }),
    ),
  };
}
