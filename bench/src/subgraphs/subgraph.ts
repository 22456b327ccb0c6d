import type { GraphQLSchema } from 'graphql';
import { parse } from 'graphql';
import { buildSubgraphSchema } from '@apollo/subgraph';
import type { GraphQLResolverMap } from '@apollo/subgraph/dist/schema-helper/resolverMap.js';

/** One subgraph of the measured supergraph. */
export interface Subgraph {
  readonly name: string;
  readonly typeDefs: string;
  readonly schema: GraphQLSchema;
}

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@external", "@requires", "@provides", "@shareable"])\n`;

/** Builds an executable subgraph. The arguments are the schema without its `@link`, and its resolvers. */
export function createSubgraph(name: string, body: string, resolvers: GraphQLResolverMap<unknown>): Subgraph {
  const typeDefs = LINK + body;
  return { name, typeDefs, schema: buildSubgraphSchema({ typeDefs: parse(typeDefs), resolvers }) };
}
