/** What the page of the gateway's state says, in one language. */
export interface StateTexts {
  readonly title: string;
  readonly since: string;
  readonly reload: string;
  /** In place of an empty table. */
  readonly none: string;
  readonly supergraph: {
    readonly title: string;
    readonly fact: string;
    readonly value: string;
    readonly served: string;
    readonly notYet: string;
    readonly reloads: string;
    readonly rejected: string;
  };
  readonly subgraphs: {
    readonly title: string;
    readonly subgraph: string;
    readonly breaker: string;
    readonly open: string;
    readonly closed: string;
    readonly requests: string;
  };
  readonly operations: {
    readonly failing: string;
    readonly slow: string;
    readonly durations: string;
    readonly name: string;
    /** Of an operation that has none. */
    readonly unnamed: string;
    readonly kind: string;
    readonly count: string;
    readonly mean: string;
    readonly beyondSecond: string;
    readonly allTime: string;
  };
  readonly failed: string;
  readonly half: string;
  readonly most: string;
  readonly moreThan: (time: string) => string;
  readonly clients: { readonly title: string; readonly client: string; readonly operations: string };
  readonly caches: {
    readonly title: string;
    readonly cache: string;
    readonly lookups: string;
    readonly hits: string;
    readonly plans: string;
    readonly introspection: string;
    readonly responses: string;
  };
  readonly limits: { readonly title: string; readonly limit: string; readonly count: string };
  /** The history of a registry. */
  readonly records: {
    readonly title: string;
    readonly sequence: string;
    readonly recorded: string;
    readonly action: string;
    readonly actor: string;
    readonly release: string;
    readonly variants: string;
    readonly here: string;
    readonly notHere: string;
    /** Before the time since which it is served. */
    readonly now: string;
  };
  readonly canary: {
    readonly title: string;
    readonly figure: string;
    readonly main: string;
    readonly share: string;
    readonly callers: string;
    readonly operations: string;
    readonly nearlyAll: string;
    readonly againstFailed: string;
    readonly againstSlow: string;
    /** Of failures: soon after it began, less stops it. */
    readonly failedEvidence: (now: string, stopsAt: number) => string;
    readonly slowEvidence: (now: string, stopsAt: number) => string;
    readonly stopped: string;
    readonly at: string;
    readonly variant: string;
    readonly release: string;
    readonly why: string;
    readonly failed: string;
    readonly slow: string;
    /** Another process has decided. */
    readonly elsewhere: string;
    readonly strength: string;
  };
}
