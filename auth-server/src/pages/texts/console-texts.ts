import type { GraphTexts } from './graph-texts.ts';

/** The forms of the console, by the names that their addresses have. */
export type ConsoleActionName =
  | 'inviteAccount'
  | 'changeAccount'
  | 'disableAccount'
  | 'enableAccount'
  | 'resetAccount'
  | 'signOutAccount'
  | 'endSession'
  | 'revokeGrant'
  | 'registerClient'
  | 'replaceClient'
  | 'rotateClientSecret'
  | 'removeClient'
  | 'rotateKeys'
  | 'retryMail'
  | 'removeMail';

/** The pages of the console that its navigation leads to. */
export type ConsolePageName = 'accounts' | 'clients' | 'keys' | 'audit' | 'mail' | 'graph';

/**
 * What the console says. Roles, events, scopes, methods and the messages of operations are the API's own words, which logs and
 * documentation have too: they are in every language what they are.
 */
export interface ConsoleTexts {
  readonly title: string;
  readonly navigation: Readonly<Record<ConsolePageName, string>>;
  readonly glance: string;
  readonly signingKeys: string;
  readonly waitingMail: string;
  readonly failedSignIns: string;
  readonly reusedTokens: string;
  readonly administered: string;
  /** In place of an empty table. */
  readonly none: string;
  readonly search: string;
  readonly more: string;
  readonly older: string;
  readonly change: string;
  readonly save: string;
  readonly end: string;
  readonly remove: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly state: string;
  readonly active: string;
  readonly disabled: string;
  readonly id: string;
  readonly scope: string;
  readonly client: string;
  readonly account: string;
  readonly redirectUris: string;
  readonly method: string;
  readonly source: string;
  readonly since: string;
  readonly history: string;
  /** After a form. */
  readonly result: {
    readonly title: string;
    readonly heading: string;
    readonly failed: string;
    readonly unchanged: string;
    readonly back: string;
    readonly link: string;
    readonly secret: string;
  };
  readonly done: Readonly<Record<ConsoleActionName, string>>;
  readonly accounts: {
    readonly query: string;
    readonly all: string;
    readonly found: string;
    readonly invite: string;
    readonly makeLink: string;
    readonly notVerified: (email: string) => string;
    readonly profile: string;
    readonly enable: string;
    readonly disable: string;
    readonly reset: string;
    readonly sessions: string;
    readonly someBrowser: string;
    readonly device: string;
    readonly address: string;
    readonly signedIn: string;
    readonly lastSeen: string;
    readonly endAll: string;
    readonly grants: string;
    readonly api: string;
    readonly lastUse: string;
    readonly revoke: string;
  };
  readonly clients: {
    readonly registered: string;
    readonly register: string;
    readonly submit: string;
    readonly madeId: string;
    readonly perLine: string;
    readonly fromFile: string;
    readonly grantTypes: string;
    readonly test: string;
    readonly redirectUri: string;
    readonly submitTest: string;
    readonly works: string;
    readonly tryIt: string;
    readonly signIn: string;
    readonly verifier: string;
    readonly why: string;
    readonly grace: string;
    readonly rotate: string;
    readonly metadata: string;
    readonly removeAll: string;
  };
  readonly keys: {
    readonly heading: string;
    readonly key: string;
    readonly algorithm: string;
    readonly made: string;
    readonly rotate: string;
    readonly states: Readonly<Record<'next' | 'active' | 'retired', string>>;
  };
  readonly audit: {
    readonly events: string;
    readonly event: string;
    readonly accountId: string;
    readonly clientId: string;
    readonly grantId: string;
    readonly when: string;
    readonly details: string;
  };
  readonly mail: {
    readonly heading: (waiting: number) => string;
    readonly empty: string;
    readonly to: string;
    readonly subject: string;
    readonly attempts: string;
    readonly next: string;
    readonly givenUp: string;
    readonly retry: string;
    readonly tryNow: string;
  };
  readonly graph: GraphTexts;
}
