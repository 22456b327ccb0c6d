import { existsSync } from 'node:fs';
import { readSupergraphConfig } from '@trellis/composition';
import type { RegistryOptions } from '../registry/registry-access.ts';
import { readBase } from '../supergraph/base-graph.ts';
import { isPublishedName, readPublished } from './read-published.ts';
import { followGraph, followSubgraph, type SubgraphFeed } from './subgraph-feed.ts';

/**
 * Follows the graph that a developer's subgraphs join.
 *
 * @param location a supergraph, a release or a supergraph.yaml, as a file or URL; or `graph@environment` of a registry
 * @throws SupergraphConfigError where it is a configuration with mistakes
 */
export async function followRest(
  location: string,
  registry: RegistryOptions,
): Promise<readonly SubgraphFeed[]> {
  if (isPublishedName(location) && !existsSync(location))
    return [followGraph(location, () => readPublished(location, registry), undefined)];
  if (/\.ya?ml$/.test(location) && !/^https?:/.test(location)) {
    const { subgraphs } = await readSupergraphConfig(location);
    return subgraphs.map(followSubgraph);
  }
  const file = existsSync(location) ? location : undefined;
  return [followGraph(location, () => readBase(location, location), file)];
}
