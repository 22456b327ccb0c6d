import { blobsOfRelease, FolderStore, readRelease, RegistryError, verifyLog } from '@trellis/registry';
import { openForReading, type Environment, type RegistryOptions } from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';

const HOUR_MS = 3_600_000;

/** The options of `trellis registry gc`. */
export interface GarbageOptions extends RegistryOptions {
  /** Hours. @default 24 */
  readonly olderThan?: string;
  readonly dryRun?: boolean;
}

/**
 * `trellis registry gc`: deletes texts that no record names, a day after they were written: what publishers that were killed left.
 * Every log is verified first; nothing is deleted where one is damaged.
 *
 * @throws RegistryError
 */
export async function collectGarbage(
  options: GarbageOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const access = await openForReading(options, env);
  const { store } = access;
  const writtenBefore = new Date(Date.now() - hoursOf(options.olderThan) * HOUR_MS);
  // Listed before the logs are read: a text that comes with a later record is not in the list.
  const blobs = await store.listBlobs(signal);
  const named = new Set<string>();
  for (const log of await store.listLogs(signal)) {
    const releases = new Map<string, Parameters<typeof readRelease>[1]>();
    const note = (reference: Parameters<typeof readRelease>[1]): unknown =>
      releases.set(reference.digest, reference);
    await verifyLog(store, log, access.trust, {
      signal,
      onRecord: ({ record }) => {
        [record.release, ...record.variants.map(({ release }) => release)].forEach(note);
        if (record.verdict) named.add(record.verdict.digest);
      },
    });
    for (const reference of releases.values()) {
      named.add(reference.digest);
      for (const { digest } of blobsOfRelease(await readRelease(store, reference, signal))) named.add(digest);
    }
  }
  const unnamed = blobs.filter(({ digest, writtenAt }) => !named.has(digest) && writtenAt < writtenBefore);
  let deleted = 0;
  if (!options.dryRun)
    for (const { digest } of unnamed)
      deleted += (await store.deleteBlob(digest, writtenBefore, signal)) ? 1 : 0;
  const leftovers =
    store instanceof FolderStore && !options.dryRun ? await store.deleteLeftovers(writtenBefore, signal) : 0;
  return {
    exit: 0,
    lines: [
      options.dryRun
        ? `${unnamed.length} of ${blobs.length} texts would be deleted.`
        : `${deleted} of ${blobs.length} texts and ${leftovers} temporary files deleted.`,
    ],
    document: { texts: blobs.length, unnamed: unnamed.length, deleted, leftovers },
  };
}

function hoursOf(text = '24'): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new RegistryError(
    'INVALID_NAME',
    `--older-than takes a number of hours, not ${JSON.stringify(text)}.`,
  );
}
