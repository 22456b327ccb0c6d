import type { DocumentNode } from 'graphql';

/** What the storm's process says first: what a supergraph is composed of. */
export interface StormSubgraph {
  readonly name: string;
  readonly url: string;
  readonly typeDefs: DocumentNode;
}

/** Publishes one event on each of so many topics, again and again in equal portions, or stops that. */
export interface StormRequest {
  readonly topics: number;
  /** Rounds a second; 0 stops. */
  readonly perSecond: number;
}
