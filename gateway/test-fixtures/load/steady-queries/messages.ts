import type { DocumentNode } from 'graphql';

/** What the process of steady queries says first: what a supergraph is composed of. */
export interface QueriedSubgraph {
  readonly name: string;
  readonly url: string;
  readonly typeDefs: DocumentNode;
}

/** Queries at a fixed rate. Replied to with a `LoadReport`. */
export interface SteadyQueriesRequest {
  /** Whom to query, without a path. */
  readonly url: string;
  readonly perSecond: number;
  readonly durationMs: number;
  /** From how many networks they come. */
  readonly networks: number;
}
