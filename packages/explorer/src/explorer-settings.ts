/** An operation that the explorer offers to run. */
export interface ExampleOperation {
  readonly title: string;
  readonly query: string;
}

/** What the explorer is given with its page. */
export interface ExplorerSettings {
  /** Name of the graph. */
  readonly title: string;
  /** Path of the graph, at the origin of the page. */
  readonly graphPath: string;
  /** Path where every response is a stream. */
  readonly streamPath: string;
  /** Who signs users in; absent where no token is accepted. */
  readonly issuer?: string | undefined;
  readonly clientId: string;
  /** What a token is asked for. */
  readonly scopes: readonly string[];
  /** Path of the event stream that reports each change of the graph; absent outside of development. */
  readonly eventsPath?: string | undefined;
  /** Path that says who uses a field; absent where that is not recorded, or outside of development. */
  readonly fieldUsersPath?: string | undefined;
  readonly examples: readonly ExampleOperation[];
  /** What the codes of errors mean. */
  readonly errorMeanings: Readonly<Record<string, string>>;
  /** Page that describes the codes, each at the anchor of its name. */
  readonly errorReference?: string | undefined;
}
