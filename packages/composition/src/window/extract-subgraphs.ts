import { federationInternals } from '../apollo-packages.ts';
import type { Release } from '../release.ts';
import type { SubgraphSchema } from '../subgraph-schema.ts';

/**
 * The schemas of subgraphs as a supergraph has them, where their own are not known. They lack what was overridden, and what no
 * operation can reach.
 */
export function extractSubgraphs(supergraphSdl: string): ReadonlyMap<string, string> {
  const subgraphs = subgraphsOf({ supergraphSdl, subgraphs: undefined });
  return new Map(subgraphs.map(({ name, sdl }) => [name, sdl]));
}

/** The subgraphs of a release with their addresses: as their teams wrote them, or else as the supergraph has them. */
export function subgraphsOf({ supergraphSdl, subgraphs }: Release): readonly SubgraphSchema[] {
  if (subgraphs) return subgraphs;
  const { printSchema, ROUTER_SUPPORTED_SUPERGRAPH_FEATURES, Supergraph } = federationInternals();
  const extracted = Supergraph.build(supergraphSdl, {
    supportedFeatures: ROUTER_SUPPORTED_SUPERGRAPH_FEATURES,
  }).subgraphs();
  return [...extracted].map(({ name, url, schema }) => ({
    name,
    routingUrl: url,
    sdl: printSchema(schema),
    source: `${name}, extracted from the supergraph`,
  }));
}
