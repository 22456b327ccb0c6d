import { lexicographicSortSchema, printSchema, type GraphQLSchema } from 'graphql';
import { federationInternals } from './apollo-packages.ts';

/**
 * The schema that clients of a supergraph see: no join directives, nothing that is @inaccessible.
 *
 * @throws Error when the text is not a supergraph that a gateway could load
 */
export function apiSchemaOf(supergraphSdl: string): GraphQLSchema {
  const { ROUTER_SUPPORTED_SUPERGRAPH_FEATURES, Supergraph } = federationInternals();
  return Supergraph.build(supergraphSdl, { supportedFeatures: ROUTER_SUPPORTED_SUPERGRAPH_FEATURES })
    .apiSchema()
    .toGraphQLJSSchema();
}

/** A schema as text, the same for the same schema. */
export function printApiSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
