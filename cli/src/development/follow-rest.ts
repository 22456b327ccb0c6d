import { existsSync } from 'node:fs';
import { readSupergraphConfig } from '@trellis/composition';
import { readBase } from '../supergraph/base-graph.ts';
import { readPublished, type RegistryAccess } from './read-published.ts';
import { followGraph, followSubgraph, type SubgraphFeed } from './subgraph-feed.ts';

/** Where the graph is that a developer's subgraphs join. */
export interface RestOfGraph {
  /** A supergraph, a release or a supergraph.yaml, as a file or URL; or `graph@environment` of a registry. */
  readonly location: string;
  readonly registry: RegistryAccess | undefined;
}

/**
 * Follows the rest of a graph.
 *
 * @throws SupergraphConfigError where it is a configuration with mistakes
 */
export async function followRest({ location, registry }: RestOfGraph): Promise<readonly SubgraphFeed[]> {
  if (registry && /^[^/\\:]+@[^/\\:]+$/.test(location))
    return [followGraph(location, () => readPublished(registry, location), undefined)];
  if (/\.ya?ml$/.test(location) && !/^https?:/.test(location)) {
    const { subgraphs } = await readSupergraphConfig(location);
    return subgraphs.map(followSubgraph);
  }
  const file = existsSync(location) ? location : undefined;
  return [followGraph(location, () => readBase(location, location), file)];
}
