import type { Release } from '@trellis/composition';
import { parseLogName } from '@trellis/registry';
import { readHeadGraph } from '../registry/published-graph.ts';
import { openForReading, type RegistryOptions } from '../registry/registry-access.ts';
import { commandEnvironment } from '../command-environment.ts';

const DEADLINE_MS = 30_000;

/** Whether a text names an environment of a graph in a registry: `content@production`. */
export function isPublishedName(text: string): boolean {
  return /^[^/\\:\s]+@[^/\\:\s]+$/.test(text);
}

/**
 * Reads what an environment serves, verified, each subgraph at its address there.
 *
 * @param name as `graph@environment`
 * @throws RegistryError
 */
export async function readPublished(name: string, options: RegistryOptions): Promise<Release> {
  const access = await openForReading(options, commandEnvironment());
  const { head, graph } = await readHeadGraph(access, parseLogName(name), AbortSignal.timeout(DEADLINE_MS));
  const addresses = new Map(head.record.routing.map(({ subgraph, url }) => [subgraph, url]));
  return {
    supergraphSdl: graph.supergraphSdl,
    subgraphs: graph.subgraphs.map((subgraph) => ({
      ...subgraph,
      routingUrl: addresses.get(subgraph.name) ?? subgraph.routingUrl,
    })),
  };
}
