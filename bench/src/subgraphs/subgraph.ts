import { buildSubgraphSchema } from '@apollo/subgraph';
import type { GraphQLResolverMap } from '@apollo/subgraph/dist/schema-helper/resolverMap.js';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { gql } from 'graphql-tag';

/** One subgraph of the measured supergraph. */
export interface Subgraph {
  readonly name: string;
  readonly typeDefs: DocumentNode;
  readonly schema: GraphQLSchema;
}

const LINK: DocumentNode = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.3"
      import: ["@key", "@external", "@requires", "@provides", "@shareable"]
    )
`;

/** Builds an executable subgraph. The arguments are the schema without its `@link`, and its resolvers. */
export function createSubgraph(
  name: string,
  body: DocumentNode,
  resolvers: GraphQLResolverMap<unknown>,
): Subgraph {
  const typeDefs: DocumentNode = { ...LINK, definitions: [...LINK.definitions, ...body.definitions] };
  return { name, typeDefs, schema: buildSubgraphSchema({ typeDefs, resolvers }) };
}
