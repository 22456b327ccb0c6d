/** How streams are kept, with every default filled in. */
export interface StreamSettings {
  /** Addresses of subgraphs' WebSockets, by the subgraph's name, in the place of those that follow from their URLs. */
  readonly subgraphUrls: Readonly<Record<string, string>>;
  /** What becomes of a stream whose upstream broke and can't be resumed: it ends with an error, or goes on with a gap. */
  readonly afterGap: 'end' | 'continue';
  /** Streams of one user; of one address where nobody is known. */
  readonly maxPerUser: number;
  readonly live: LiveSettings;
  /** Milliseconds that one resolution of a live query may take. */
  readonly resolutionMs: number;
}

/** Bounds of live queries. */
export interface LiveSettings {
  /** Milliseconds between two resolutions: without `throttle`, at least, and at most. */
  readonly intervalMs: number;
  readonly minIntervalMs: number;
  readonly maxIntervalMs: number;
  /** Those of one user; of one address where nobody is known. */
  readonly maxPerUser: number;
}

/** The settings without a configuration. */
export const DEFAULT_STREAM_SETTINGS: StreamSettings = Object.freeze({
  subgraphUrls: Object.freeze({}),
  afterGap: 'end',
  maxPerUser: 500,
  live: Object.freeze({ intervalMs: 5_000, minIntervalMs: 1_000, maxIntervalMs: 300_000, maxPerUser: 20 }),
  resolutionMs: 30_000,
});
