/** Everything that the pages say, in one language. */
export interface PageTexts {
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly signIn: {
    readonly title: string;
    readonly intro: (clientName: string) => string;
    readonly email: string;
    readonly password: string;
    readonly submit: string;
    readonly refused: string;
    readonly throttled: string;
  };
  readonly consent: {
    readonly title: string;
    readonly intro: (clientName: string) => string;
    readonly signedInAs: (email: string) => string;
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
  readonly logout: {
    readonly title: string;
    readonly question: string;
    readonly confirm: string;
    readonly stay: string;
    readonly done: string;
    readonly stayed: string;
  };
  readonly error: {
    readonly title: string;
    readonly expired: string;
    readonly refused: string;
    readonly unavailable: string;
    readonly broken: string;
    readonly code: string;
  };
}
