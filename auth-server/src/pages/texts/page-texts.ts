import type { PasswordProblem } from '../../passwords/password-problem.ts';
import type { AccountTexts } from './account-texts.ts';
import type { Brand } from './brand.ts';
import type { ConsoleTexts } from './console-texts.ts';

/** What the owner of an account is written about without having asked. */
export type NoticeKind = 'password_changed' | 'new_device' | 'address_withdrawn' | 'account_deleted';

/** A message about an account. */
export interface NoticeText {
  readonly subject: string;
  /**
   * @param what the browser, the address or the like, as far as it is known
   * @param moment as users write it
   * @param link to the account page
   */
  readonly text: (what: string | undefined, moment: string, link: string) => string;
}

/** Everything that the pages of one operator say, in one language. */
export interface PageTexts extends LanguageTexts {
  /** Whose pages they are. */
  readonly brand: Brand;
}

/** Everything that the pages say, in one language. */
export interface LanguageTexts {
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly signIn: {
    readonly title: string;
    readonly intro: (clientName: string) => string;
    readonly email: string;
    readonly password: string;
    readonly submit: string;
    readonly rejected: string;
    readonly throttled: string;
  };
  readonly consent: {
    readonly title: string;
    readonly intro: (clientName: string) => string;
    /** Of a client that registered itself: its name may be anybody's. */
    readonly unvetted: string;
    /** Who gets the response. @param host or scheme of an app */
    readonly destination: (host: string) => string;
    readonly signedInAs: (email: string) => string;
    /** Leads to signing in as another user. */
    readonly notYou: string;
    /** What a client links to. */
    readonly website: string;
    readonly policy: string;
    readonly terms: string;
    readonly allow: string;
    readonly deny: string;
    /** By scope; a scope without a text is shown by its name. */
    readonly scopes: Readonly<Record<string, string>>;
    readonly otherScope: (scope: string) => string;
  };
  readonly device: {
    readonly title: string;
    readonly code: string;
    readonly submit: string;
    readonly unknown: string;
    readonly throttled: string;
    readonly compare: string;
    readonly allowed: string;
    readonly denied: string;
  };
  /** The page that takes the response to the client; seen where scripts are off. */
  readonly formPost: {
    readonly title: string;
    readonly intro: (host: string) => string;
    readonly submit: string;
  };
  readonly logout: {
    readonly title: string;
    readonly question: string;
    readonly confirm: string;
    readonly stay: string;
    readonly done: string;
    readonly stayed: string;
  };
  readonly account: AccountTexts;
  readonly console: ConsoleTexts;
  /** Why a password can't be chosen. */
  readonly passwordProblems: Readonly<Record<PasswordProblem, string>>;
  /** The page behind a one-time link. */
  readonly link: {
    readonly title: string;
    readonly intro: (email: string) => string;
    readonly password: string;
    readonly submit: string;
    readonly done: string;
  };
  /** The page behind a link to a new address. */
  readonly changeEmail: {
    readonly title: string;
    readonly intro: (from: string, to: string) => string;
    readonly submit: string;
    readonly done: string;
  };
  readonly signUp: { readonly title: string; readonly intro: string; readonly name: string };
  readonly forgotten: { readonly title: string; readonly intro: string };
  /** Messages, and the pages that have them sent. */
  readonly mail: {
    readonly submit: string;
    readonly sent: (email: string) => string;
    readonly unfit: string;
    readonly throttled: string;
    readonly signUpSubject: string;
    readonly signUp: (link: string) => string;
    readonly resetSubject: string;
    readonly reset: (link: string) => string;
    readonly changeEmailSubject: string;
    readonly changeEmail: (link: string) => string;
    /** To the owner of an account, who did what they report, or should know of it. */
    readonly notices: Readonly<Record<NoticeKind, NoticeText>>;
  };
  /** At the foot of each page. */
  readonly links: {
    readonly label: string;
    readonly privacy: string;
    readonly terms: string;
    readonly help: string;
  };
  readonly error: {
    readonly title: string;
    readonly expired: string;
    readonly rejected: string;
    readonly unavailable: string;
    readonly tooMany: string;
    readonly broken: string;
    /** Nothing is at the address. */
    readonly missing: string;
    /** The user may not do this. */
    readonly forbidden: string;
    readonly code: string;
    /** Names the request, for those who look into the log. */
    readonly reference: string;
    /** Ways on. */
    readonly back: (name: string) => string;
    readonly account: string;
  };
}
