import { describeScopes, render, type Page } from './pages.ts';
import type { PasswordProblem } from '../passwords/password-problem.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** Why the password was not changed. */
export type AccountProblem = 'rejected' | 'throttled' | PasswordProblem;

/** What the account page shows. */
export interface AccountPage {
  readonly csrf: string;
  readonly name: string;
  readonly email: string;
  readonly problem: AccountProblem | undefined;
  /** Whether the password has just been changed. */
  readonly changed: boolean;
  readonly sessions: readonly {
    readonly key: string;
    readonly browser: string | undefined;
    /** Milliseconds since 1970. */
    readonly authenticatedAt: number;
    /** Of the browser that looks at the page. */
    readonly isOwn: boolean;
  }[];
  readonly applications: readonly {
    readonly clientId: string;
    readonly clientName: string;
    readonly scopes: readonly string[];
  }[];
}

/** What the page behind a one-time link shows. */
export interface ChoosePasswordPage {
  readonly email: string;
  readonly token: string;
  readonly csrf: string;
  readonly problem: PasswordProblem | undefined;
}

/** What a page that asks for an e-mail address shows. */
export interface AskForMailPage {
  readonly kind: 'signUp' | 'forgotten';
  readonly csrf: string;
  readonly problem: 'unfit' | 'throttled' | undefined;
}

/** What a page shows that only says something. */
export interface Notice {
  readonly title: string;
  readonly text: string;
  /** Address of the account page, if there is a way on to it. */
  readonly account?: string;
}

/** The page where a user sees and ends sessions and consents, and changes the password. */
export function renderAccount(page: AccountPage, texts: PageTexts): Page {
  const moments = new Intl.DateTimeFormat(texts.language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  const sessions = page.sessions.map((session) => ({
    ...session,
    browser: session.browser ?? texts.account.someBrowser,
    since: texts.account.since(`${moments.format(session.authenticatedAt)} UTC`),
  }));
  const applications = page.applications.map((application) => ({
    ...application,
    scopes: describeScopes(application.scopes, texts),
  }));
  return render('account', { ...page, sessions, applications }, texts);
}

/** The page behind a one-time link. */
export function renderChoosePassword(page: ChoosePasswordPage, texts: PageTexts): Page {
  return render('choose-password', page, texts);
}

/** The page that asks for an e-mail address, and for a name where it is about a new account. */
export function renderAskForMail(page: AskForMailPage, texts: PageTexts): Page {
  return render('ask-for-mail', { ...page, words: texts[page.kind], path: page.kind }, texts);
}

/** A page that only says something. */
export function renderNotice(notice: Notice, texts: PageTexts): Page {
  return render('notice', notice, texts);
}
