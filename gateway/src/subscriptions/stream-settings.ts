/** How streams are kept, with every default filled in. */
export interface StreamSettings {
  /** Addresses of subgraphs' WebSockets, by the subgraph's name, in the place of those that follow from their URLs. */
  readonly subgraphUrls: Readonly<Record<string, string>>;
  /** What becomes of a stream whose upstream broke and can't be resumed: it ends with an error, or goes on with a gap. */
  readonly afterGap: 'end' | 'continue';
  /** Streams of one user; of one address where nobody is known. */
  readonly maxPerUser: number;
  /** Live queries of one user; of one address where nobody is known. */
  readonly maxLivePerUser: number;
  /** Milliseconds between two resolutions of a live query: without `throttle`, at least, and at most. */
  readonly liveIntervalMs: number;
  readonly minLiveIntervalMs: number;
  readonly maxLiveIntervalMs: number;
  /** Milliseconds that one resolution of a live query may take. */
  readonly resolutionMs: number;
}

/** The settings without a configuration. */
export const DEFAULT_STREAM_SETTINGS: StreamSettings = Object.freeze({
  subgraphUrls: Object.freeze({}),
  afterGap: 'end',
  maxPerUser: 500,
  maxLivePerUser: 20,
  liveIntervalMs: 5_000,
  minLiveIntervalMs: 1_000,
  maxLiveIntervalMs: 300_000,
  resolutionMs: 30_000,
});
