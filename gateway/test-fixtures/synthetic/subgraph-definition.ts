import type { DocumentNode } from 'graphql';

/** A subgraph of a test graph: its schema is all that is written down, its data follows from the names of things. */
export interface SubgraphDefinition {
  readonly name: string;
  readonly typeDefs: DocumentNode;
}

/** Subgraphs that compose. */
export interface GraphDefinition {
  readonly name: string;
  readonly subgraphs: readonly SubgraphDefinition[];
}
