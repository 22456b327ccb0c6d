/** Commands for a crowd of clients. Each is answered with a {@link CrowdReport} when it is done. */
export type CrowdRequest =
  /** More clients connect and subscribe, so many at a time. */
  | { readonly kind: 'join'; readonly clients: number; readonly atOnce: number }
  /** So many leave without a word, and connect again, all at once. */
  | { readonly kind: 'reconnect'; readonly clients: number }
  | { readonly kind: 'count' };

/** How a crowd is. */
export interface CrowdReport {
  /** Clients whose connection is acknowledged and open. */
  readonly open: number;
  /** Connections that the gateway has closed, or that broke. */
  readonly closed: number;
  /** Attempts to connect that had to be repeated. */
  readonly repeated: number;
  /** Clients that have heard the newest event that anybody has heard. */
  readonly hearing: number;
  /** The number of that event, 0 when there was none. */
  readonly newest: number;
}
