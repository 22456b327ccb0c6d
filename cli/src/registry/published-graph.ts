import type { Release, SubgraphSchema } from '@trellis/composition';
import {
  formatLogName,
  readRelease,
  readTextBlob,
  RegistryError,
  verifyLog,
  type BlobReference,
  type LogName,
  type PublishedContract,
  type PublishedRelease,
  type RegistryStore,
  type VerifiedHead,
  type VerifiedRecord,
} from '@trellis/registry';
import type { RegistryAccess } from './registry-access.ts';

/** A release with its texts. */
export interface PublishedGraph extends Release {
  readonly reference: BlobReference;
  readonly published: PublishedRelease;
  readonly subgraphs: readonly SubgraphSchema[];
  readonly contracts: readonly PublishedContract[];
}

/**
 * Reads a release, the supergraph and each subgraph's own schema, and holds them against their digests.
 *
 * @param name what diagnostics show as the source of schemas: `content@production`
 * @throws RegistryError
 */
export async function readPublishedGraph(
  store: RegistryStore,
  reference: BlobReference,
  name: string,
  signal: AbortSignal,
): Promise<PublishedGraph> {
  const published = await readRelease(store, reference, signal);
  const [supergraphSdl, ...sdls] = await Promise.all(
    [published.supergraph, ...published.subgraphs.map(({ schema }) => schema)].map((blob) =>
      readTextBlob(store, blob, signal),
    ),
  );
  const subgraphs = published.subgraphs.map(({ name: subgraph, routing }, index) => ({
    name: subgraph,
    routingUrl: routing.url,
    sdl: sdls[index] ?? '',
    source: `${name}/${subgraph}`,
  }));
  const { contracts } = published;
  return { reference, published, supergraphSdl: supergraphSdl ?? '', subgraphs, contracts };
}

/** Every record of a log, verified, the oldest first. @throws RegistryError */
export async function readRecords(
  { store, trust }: RegistryAccess,
  log: LogName,
  signal: AbortSignal,
): Promise<readonly VerifiedRecord[]> {
  const records: VerifiedRecord[] = [];
  await verifyLog(store, log, trust, { signal, onRecord: (record) => records.push(record) });
  return records;
}

/** The head of a log with its release. @throws RegistryError NOT_FOUND where the log is empty */
export async function readHeadGraph(
  { store, trust }: RegistryAccess,
  log: LogName,
  signal: AbortSignal,
): Promise<{ readonly head: VerifiedHead; readonly graph: PublishedGraph }> {
  const head = await verifyLog(store, log, trust, { signal });
  if (!head)
    throw new RegistryError('NOT_FOUND', `${formatLogName(log)} in ${store.description} has no release yet.`);
  const graph = await readPublishedGraph(store, head.record.release, formatLogName(log), signal);
  return { head, graph };
}
