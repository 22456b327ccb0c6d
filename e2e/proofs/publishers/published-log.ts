import { composeSubgraphs } from '@trellis/composition';
import {
  readRelease,
  readTextBlob,
  verifyLog,
  type RegistryStore,
  type TrustedKeys,
  type VerifiedRecord,
} from '@trellis/registry';

/** The log that all publish to. */
export const log = { graph: 'content', environment: 'production' } as const;

/** What is wrong with a log after all that happened to it, one sentence each. */
export async function problemsOfLog(
  store: RegistryStore,
  trust: TrustedKeys,
  acknowledged: ReadonlyMap<number, string>,
): Promise<{ readonly records: number; readonly problems: readonly string[] }> {
  const signal = AbortSignal.timeout(300_000);
  const records: VerifiedRecord[] = [];
  const problems: string[] = [];
  await verifyLog(store, log, trust, { signal, onRecord: (record) => records.push(record) });
  let before = new Map<string, string>();
  for (const { record } of records) {
    const release = await readRelease(store, record.release, signal);
    const after = new Map(release.subgraphs.map(({ name, schema }) => [name, schema.digest]));
    const changed = [...after].filter(([name, digest]) => before.get(name) !== digest).map(([name]) => name);
    const lost = [...before.keys()].filter((name) => !after.has(name));
    if (changed.length !== 1 || lost.length > 0)
      problems.push(
        `Record ${record.sequence} changes ${changed.join(', ') || 'nothing'} and loses ${lost.join(', ') || 'nothing'}.`,
      );
    const subgraphs = release.subgraphs.map(async ({ name, schema, routing }) => ({
      name,
      routingUrl: routing.url,
      source: name,
      sdl: await readTextBlob(store, schema, signal),
    }));
    const composed = composeSubgraphs(await Promise.all(subgraphs));
    if (
      composed.kind === 'failed' ||
      composed.supergraphSdl !== (await readTextBlob(store, release.supergraph, signal))
    )
      problems.push(`Record ${record.sequence} does not compose to its supergraph.`);
    before = after;
  }
  for (const [sequence, id] of acknowledged)
    if (records[sequence - 1]?.record.id !== id)
      problems.push(`Record ${sequence} was acknowledged and is another one.`);
  return { records: records.length, problems };
}
