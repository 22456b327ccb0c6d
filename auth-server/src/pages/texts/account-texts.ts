/** What the owner of an account did there, and learns that it was done. */
export type AccountDone = 'password' | 'name' | 'email' | 'sessions' | 'applications';

/** Why something was not done. Problems of passwords have texts of their own. */
export type AccountProblemKind = 'rejected' | 'throttled' | 'name' | 'email' | 'lastAdministrator';

/** Security events that the owner of an account is shown. */
export type OwnEvent =
  | 'signed_in'
  | 'sign_in_failed'
  | 'signed_out'
  | 'consent_given'
  | 'consent_denied'
  | 'consent_withdrawn'
  | 'password_changed'
  | 'password_reset'
  | 'account_added'
  | 'account_changed'
  | 'account_disabled'
  | 'account_enabled'
  | 'account_exported'
  | 'account_signed_up'
  | 'identity_linked'
  | 'identity_unlinked';

/** What the account page says. */
export interface AccountTexts {
  readonly title: string;
  readonly sessions: string;
  readonly someBrowser: string;
  readonly device: string;
  readonly address: string;
  readonly signedIn: string;
  readonly lastSeen: string;
  readonly action: string;
  readonly thisBrowser: string;
  readonly end: string;
  readonly endOthers: string;
  readonly applications: string;
  readonly noApplications: string;
  readonly application: string;
  readonly mayDo: string;
  readonly lastUse: string;
  readonly withdraw: string;
  readonly events: string;
  readonly noEvents: string;
  readonly when: string;
  readonly what: string;
  readonly where: string;
  readonly eventNames: Readonly<Record<OwnEvent, string>>;
  readonly profile: string;
  readonly changeName: string;
  readonly newEmail: string;
  readonly changeEmail: string;
  readonly noMail: string;
  readonly password: string;
  readonly current: string;
  readonly change: string;
  readonly data: string;
  readonly export: AccountForm;
  readonly delete: AccountForm & { readonly done: string };
  readonly done: Readonly<Record<AccountDone, string>>;
  readonly problems: Readonly<Record<AccountProblemKind, string>>;
}

interface AccountForm {
  readonly title: string;
  readonly intro: string;
  readonly submit: string;
}
