import { readFile } from 'node:fs/promises';
import type { Release, SubgraphSchema } from '@trellis/composition';
import {
  FolderStore,
  parseLogName,
  readRelease,
  readTextBlob,
  TrustedKeys,
  verifyLog,
  type PublishedSubgraph,
  type RegistryRecord,
  type RegistryStore,
} from '@trellis/registry';

/** How a registry is read. */
export interface RegistryAccess {
  /** A folder. */
  readonly location: string;
  /** A file with the public keys whose records count, a JSON Web Key Set. */
  readonly trust: string;
}

const DEADLINE_MS = 30_000;

/**
 * Reads what an environment of a registry serves, verified.
 *
 * @param name as `graph@environment`
 * @throws RegistryError; Error where nothing is published there
 */
export async function readPublished({ location, trust }: RegistryAccess, name: string): Promise<Release> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const store = new FolderStore(location);
  const keys = await TrustedKeys.parse(await readFile(trust, 'utf8'));
  const head = await verifyLog(store, parseLogName(name), keys, { signal });
  if (!head) throw new Error(`Nothing is published at ${name} in ${store.description}.`);
  const release = await readRelease(store, head.record.release, signal);
  const subgraphs = release.subgraphs.map((subgraph) => readSubgraph(store, subgraph, head.record, signal));
  return {
    supergraphSdl: await readTextBlob(store, release.supergraph, signal),
    subgraphs: await Promise.all(subgraphs),
  };
}

async function readSubgraph(
  store: RegistryStore,
  { name, schema, routing }: PublishedSubgraph,
  record: RegistryRecord,
  signal: AbortSignal,
): Promise<SubgraphSchema> {
  const override = record.routing.find(({ subgraph }) => subgraph === name);
  return {
    name,
    routingUrl: override?.url ?? routing.url,
    sdl: await readTextBlob(store, schema, signal),
    source: `${name} of ${record.graph}@${record.environment}`,
  };
}
