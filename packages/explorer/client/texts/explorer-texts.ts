/** Everything that the explorer says, in one language. */
export interface ExplorerTexts {
  readonly run: string;
  readonly stop: string;
  readonly runHint: string;
  readonly signIn: string;
  readonly signOut: string;
  readonly signedInAs: (name: string) => string;
  readonly signInFailed: (reason: string) => string;
  readonly operation: string;
  readonly variables: string;
  readonly headers: string;
  readonly response: string;
  readonly plan: string;
  readonly parts: string;
  readonly noResponse: string;
  readonly examples: string;
  readonly history: string;
  readonly noHistory: string;
  readonly clearHistory: string;
  readonly documentation: string;
  readonly search: string;
  readonly noMatches: string;
  readonly newTab: string;
  readonly closeTab: (title: string) => string;
  readonly tabs: string;
  readonly untitled: string;
  readonly running: string;
  readonly streaming: (results: number) => string;
  readonly done: (milliseconds: number, bytes: string) => string;
  readonly stopped: string;
  readonly failed: (reason: string) => string;
  readonly reconnecting: string;
  readonly schemaFailed: (reason: string) => string;
  readonly retry: string;
  readonly part: (number: number, milliseconds: number) => string;
  readonly event: (number: number, time: string) => string;
  readonly invalidJson: (name: string) => string;
  readonly errors: (count: number) => string;
  readonly json: string;
  readonly noVariables: string;
  readonly absent: string;
  readonly addItem: string;
  readonly removeItem: (number: number) => string;
  readonly cost: (estimate: string, limit: string) => string;
  readonly fetches: (count: number) => string;
  readonly milliseconds: (milliseconds: string) => string;
  readonly subgraph: string;
  readonly path: string;
  readonly requests: string;
  readonly time: string;
  readonly bytes: string;
  readonly fromCache: string;
  readonly cacheHits: string;
  /** What the response cache has brought. */
  readonly wholeResponse: string;
  readonly root: string;
  /** Above the clients that have sent a field. */
  readonly usedBy: string;
  readonly unused: string;
  /** Said where some workers of the gateway have not responded. */
  readonly workersMissing: (workers: number) => string;
  readonly requestsUntil: (requests: number, last: string) => string;
  readonly possibleTypes: string;
  readonly costsOf: (cost: string) => string;
  readonly needsToken: string;
  readonly needsScopes: (scopes: string) => string;
  readonly needsPolicies: (policies: string) => string;
  readonly ownedBy: (subgraphs: string) => string;
  readonly landing: string;
  readonly operationName: string;
  readonly asTable: string;
  readonly entities: string;
  readonly allTypes: string;
  /** Above what is wrong with a newer supergraph, in development. */
  readonly graphRejected: string;
  readonly hide: string;
  readonly meaning: string;
}
