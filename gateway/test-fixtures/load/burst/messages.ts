/** Queries that are sent to a gateway all at once. */
export interface BurstRequest {
  /** Of the gateway, without a path. */
  readonly url: string;
  readonly queries: readonly BurstQuery[];
}

/** One query, and the address of this machine that it comes from. */
export interface BurstQuery {
  readonly query: string;
  readonly localAddress: string;
}

/** How a burst ended: how many requests of each status there were; 0 stands for a connection that ended. */
export type BurstReport = readonly (readonly [status: number, requests: number])[];
