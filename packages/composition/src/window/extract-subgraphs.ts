import { printSchema, ROUTER_SUPPORTED_SUPERGRAPH_FEATURES, Supergraph } from '@apollo/federation-internals';

/**
 * The schemas of subgraphs as a supergraph has them, where their own are not known. They lack what was overridden, and what no
 * operation can reach.
 */
export function extractSubgraphs(supergraphSdl: string): ReadonlyMap<string, string> {
  const subgraphs = Supergraph.build(supergraphSdl, {
    supportedFeatures: ROUTER_SUPPORTED_SUPERGRAPH_FEATURES,
  }).subgraphs();
  return new Map([...subgraphs].map(({ name, schema }) => [name, printSchema(schema)]));
}
