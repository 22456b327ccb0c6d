import { existsSync } from 'node:fs';
import { didYouMean } from '@trellis/runtime/parse-flags';
import { readSupergraphConfig } from '@trellis/composition';
import type { RegistryOptions } from '../registry/registry-access.ts';
import { readBase } from '../supergraph/base-graph.ts';
import { DevCallProblem, type DevCall } from './dev-call.ts';
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

/**
 * Reads the rest once, and rejects names of mocks that it does not have. Of a rest that can't be read now, nothing is known.
 *
 * @throws DevCallProblem with the name that was meant
 */
export async function rejectUnknownMocks(
  { own, mocked }: DevCall,
  rest: readonly SubgraphFeed[],
): Promise<void> {
  if (mocked === 'all' || mocked.size === 0) return;
  const isOwn = own.find(({ name }) => mocked.has(name));
  if (isOwn)
    throw new DevCallProblem(
      `--mock ${isOwn.name}: it is yours, and mocked where nothing says where it runs.`,
    );
  await Promise.all(rest.map((feed) => feed.read()));
  if (rest.some((feed) => feed.schemas().length === 0)) return;
  const names = rest.flatMap((feed) => feed.schemas().map(({ name }) => name));
  const unknown = [...mocked].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new DevCallProblem(
      `--mock ${unknown}: the rest of the graph has no subgraph of that name.${didYouMean(unknown, names)}`,
    );
}
