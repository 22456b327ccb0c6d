/** Everything that the gateway's pages say before a script runs, in one language. */
export interface PageTexts {
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly landing: {
    /** What this address is. */
    readonly intro: string;
    readonly version: string;
    readonly graph: string;
    /** @param types how many, subgraphs not counted */
    readonly types: (types: number) => string;
    readonly subgraphs: string;
    readonly endpoint: string;
    readonly explore: string;
    readonly tryIt: string;
    /** Beside the command where the graph takes tokens. */
    readonly token: string;
    readonly links: string;
    readonly issuer: string;
    readonly health: string;
  };
  readonly explorer: {
    readonly title: string;
    readonly needsScript: string;
  };
}
