import { render, describeScopes, type Page } from './pages.ts';
import type { PasswordProblem } from '../passwords/password-problem.ts';
import { timeCell, type Cell, type Table } from './table.ts';
import type { AccountDone, AccountProblemKind, OwnEvent } from './texts/account-texts.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** The forms of the account page that may fail. */
export type AccountFormName = 'name' | 'email' | 'password' | 'export' | 'delete';

/** Why a form did nothing. */
export interface AccountProblem {
  readonly form: AccountFormName;
  readonly kind: AccountProblemKind | PasswordProblem;
}

/** What the account page shows. Moments are milliseconds since 1970. */
export interface AccountPage {
  readonly csrf: string;
  readonly name: string;
  readonly email: string;
  readonly problem: AccountProblem | undefined;
  /** What has just been done. */
  readonly done: AccountDone | undefined;
  /** Whether a new address can be confirmed by mail. */
  readonly canMail: boolean;
  readonly sessions: readonly {
    readonly key: string;
    readonly browser: string | undefined;
    readonly authenticatedAt: number;
    readonly seen: { readonly at: number; readonly address: string } | undefined;
    /** Of the browser that looks at the page. */
    readonly isOwn: boolean;
  }[];
  readonly applications: readonly {
    readonly clientId: string;
    readonly clientName: string;
    readonly scopes: readonly string[];
    readonly usedAt: number | undefined;
  }[];
  readonly events: readonly {
    readonly name: OwnEvent;
    readonly at: number;
    readonly address: string | undefined;
    readonly clientName: string | undefined;
  }[];
}

/** What the page behind a one-time link shows. */
export interface ChoosePasswordPage {
  readonly email: string;
  readonly token: string;
  readonly csrf: string;
  readonly problem: PasswordProblem | undefined;
}

/** What the page behind a link to a new address shows. */
export interface ConfirmEmailPage {
  readonly from: string;
  readonly email: string;
  readonly token: string;
  readonly csrf: string;
}

/** What the email form shows. */
export interface EmailFormPage {
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

/** The page where a user sees and ends sessions and consents, and changes the account. */
export function renderAccount(page: AccountPage, texts: PageTexts): Page {
  const tables = {
    sessions: sessionTable(page, texts),
    applications: applicationTable(page, texts),
    events: eventTable(page, texts),
  };
  return render('account', { ...page, ...tables }, texts);
}

function sessionTable({ sessions }: AccountPage, texts: PageTexts): Table {
  const { account: words } = texts;
  const rows = sessions.map(({ key, browser = words.someBrowser, authenticatedAt, seen, isOwn }): Cell[] => [
    browser,
    seen?.address ?? '',
    timeCell(authenticatedAt, texts),
    timeCell(seen?.at, texts),
    isOwn
      ? { strong: words.thisBrowser }
      : { action: 'account/sessions', fields: { session: key }, button: words.end, about: browser },
  ]);
  const columns = [words.device, words.address, words.signedIn, words.lastSeen, words.action];
  return { labelledBy: 'sessions', columns, rows };
}

function applicationTable({ applications }: AccountPage, texts: PageTexts): Table {
  const { account: words } = texts;
  const rows = applications.map(({ clientId, clientName, scopes, usedAt }): Cell[] => [
    { strong: clientName },
    { lines: describeScopes(scopes, texts) },
    timeCell(usedAt === undefined ? undefined : usedAt * 1000, texts),
    {
      action: 'account/applications',
      fields: { client_id: clientId },
      button: words.withdraw,
      about: clientName,
    },
  ]);
  return {
    labelledBy: 'applications',
    columns: [words.application, words.mayDo, words.lastUse, words.action],
    rows,
  };
}

function eventTable({ events }: AccountPage, texts: PageTexts): Table {
  const { account: words } = texts;
  const rows = events.map(({ name, at, address, clientName }): Cell[] => [
    timeCell(at, texts),
    clientName === undefined ? words.eventNames[name] : `${words.eventNames[name]}: ${clientName}`,
    address ?? '',
  ]);
  return { labelledBy: 'events', columns: [words.when, words.what, words.where], rows };
}

/** The page behind a one-time link. */
export function renderChoosePassword(page: ChoosePasswordPage, texts: PageTexts): Page {
  return render('choose-password', page, texts);
}

/** The page behind a link to a new address. Looking at it changes nothing, because mail servers look at links too. */
export function renderConfirmEmail(page: ConfirmEmailPage, texts: PageTexts): Page {
  return render('confirm-email', page, texts);
}

/** The page that asks for an e-mail address, and for a name where it is about a new account. */
export function renderEmailForm(page: EmailFormPage, texts: PageTexts): Page {
  return render('email-form', { ...page, words: texts[page.kind], path: page.kind }, texts);
}

/** A page that only says something. */
export function renderNotice(notice: Notice, texts: PageTexts): Page {
  return render('notice', notice, texts);
}
