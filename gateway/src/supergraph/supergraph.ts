import type { Schema } from '@apollo/federation-internals';
import type { GraphQLSchema } from 'graphql';
import type { TypeIndex } from './type-index.ts';

/** One subgraph, and where it is asked. */
export interface SubgraphEndpoint {
  readonly name: string;
  /** Absolute http or https URL of its GraphQL endpoint. */
  readonly url: string;
}

/**
 * One generation of the graph. Frozen: a reload makes another one and swaps one pointer, and an operation that runs
 * ends on the generation it began with.
 */
export interface Supergraph {
  /** SHA-256 of the supergraph's text and of the endpoints, hexadecimal. */
  readonly hash: string;
  /** The supergraph as it was loaded. */
  readonly sdl: string;
  /** The schema of clients: what `@inaccessible` hides is not in it; `@defer` and `@live` are. */
  readonly schema: GraphQLSchema;
  /** Everything that composition wrote down, with all applied directives. */
  readonly supergraphSchema: Schema;
  /** By the subgraph's name as its team gave it. */
  readonly subgraphs: ReadonlyMap<string, SubgraphEndpoint>;
  /** Which object types an abstract type stands for, hidden types included. */
  readonly types: TypeIndex;
}
