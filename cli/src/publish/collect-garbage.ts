import {
  blobsOfRelease,
  FolderStore,
  HttpStore,
  readRelease,
  RegistryError,
  verifyLog,
  type BlobReference,
  type LogName,
  type RegistryStore,
  type StoredBlob,
} from '@trellis/registry';
import {
  openForReading,
  storeOf,
  type Environment,
  type RegistryAccess,
  type RegistryOptions,
} from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { assertHonoured, verifyByOwnTrust } from './options-over-http.ts';
import { submit } from './submit.ts';

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
  const request = { olderThanHours: hoursOf(options.olderThan), isDry: options.dryRun === true };
  const store = storeOf(options, env);
  assertHonoured(store, options);
  if (!(store instanceof HttpStore))
    return deleteUnnamed(await openForReading(options, env), request, signal);
  await verifyByOwnTrust(options, env, 'all', signal);
  return submit(store, undefined, 'garbage-collections', request, signal);
}

/** Which texts go. */
export interface GarbageRequest {
  readonly olderThanHours: number;
  /** Whether they are only counted. */
  readonly isDry: boolean;
}

/** Deletes what no record of any log names. Exit 69: the deadline passed, or the store failed, after the first were deleted. @throws RegistryError where a log is damaged */
export async function deleteUnnamed(
  access: RegistryAccess,
  { olderThanHours, isDry }: GarbageRequest,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { store } = access;
  const writtenBefore = new Date(Date.now() - olderThanHours * HOUR_MS);
  // Listed before the logs are read: a text that comes with a later record is not in the list.
  const blobs = await store.listBlobs(signal);
  const named = await namedTexts(access, signal);
  const unnamed = blobs.filter(({ digest, writtenAt }) => !named.has(digest) && writtenAt < writtenBefore);
  const counts = { texts: blobs.length, unnamed: unnamed.length };
  if (isDry)
    return {
      exit: 0,
      lines: [`${unnamed.length} of ${blobs.length} texts would be deleted.`],
      document: { ...counts, deleted: 0, leftovers: 0 },
    };
  const { deleted, failure } = await deleteEach(store, unnamed, writtenBefore, signal);
  if (failure)
    return {
      exit: 69,
      lines: [
        `${deleted} of ${blobs.length} texts deleted, then it failed: ${failure.message} Run it again for the others.`,
      ],
      document: { ...counts, deleted, leftovers: 0 },
    };
  const leftovers = store instanceof FolderStore ? await store.deleteLeftovers(writtenBefore, signal) : 0;
  return {
    exit: 0,
    lines: [`${deleted} of ${blobs.length} texts and ${leftovers} temporary files deleted.`],
    document: { ...counts, deleted, leftovers },
  };
}

/** Once texts are gone, a failure says how many. @throws what fails before */
async function deleteEach(
  store: RegistryStore,
  texts: readonly StoredBlob[],
  writtenBefore: Date,
  signal: AbortSignal,
): Promise<{ readonly deleted: number; readonly failure?: Error }> {
  let deleted = 0;
  try {
    for (const { digest } of texts)
      deleted += (await store.deleteBlob(digest, writtenBefore, signal)) ? 1 : 0;
    return { deleted };
  } catch (error) {
    if (deleted === 0 || !(error instanceof Error)) throw error;
    return { deleted, failure: error };
  }
}

/** The digests that the records of all logs name, themselves or by their releases. */
async function namedTexts(access: RegistryAccess, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const log of await access.store.listLogs(signal)) await addNamedIn(access, log, named, signal);
  return named;
}

async function addNamedIn(
  { store, trust }: RegistryAccess,
  log: LogName,
  named: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const releases = new Map<string, BlobReference>();
  await verifyLog(store, log, trust, {
    signal,
    onRecord: ({ record: { release, variants, verdict } }) => {
      for (const one of [release, ...variants.map((variant) => variant.release)])
        releases.set(one.digest, one);
      if (verdict) named.add(verdict.digest);
    },
  });
  for (const reference of releases.values()) {
    named.add(reference.digest);
    for (const { digest } of blobsOfRelease(await readRelease(store, reference, signal))) named.add(digest);
  }
}

function hoursOf(text = '24'): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new RegistryError(
    'INVALID_NAME',
    `--older-than takes a number of hours, not ${JSON.stringify(text)}.`,
  );
}
