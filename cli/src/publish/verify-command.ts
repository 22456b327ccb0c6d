import {
  blobsOfRelease,
  formatLogName,
  readRelease,
  readTextBlob,
  RegistryError,
  verifyLog,
  type LogName,
  type VerifiedRecord,
} from '@trellis/registry';
import {
  logOf,
  openForReading,
  type Environment,
  type GraphOptions,
  type RegistryAccess,
} from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';

/** `trellis verify`: every signature, link and text of one log, or of all. @throws RegistryError */
export async function verifyCommand(
  options: GraphOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const access = await openForReading(options, env);
  const isOne = (options.graph ?? env['TRELLIS_GRAPH']) !== undefined;
  const logs = isOne ? [logOf(options, env)] : await access.store.listLogs(signal);
  const results = [];
  for (const log of logs) results.push(await verifyOne(access, log, signal));
  const damages = results.flatMap(({ damages: found }) => found);
  return {
    exit: damages.length > 0 ? 77 : 0,
    lines: results.flatMap(({ log, records, texts, damages: found }) => [
      `${found.length > 0 ? 'damaged' : 'verified'}: ${log}, records: ${records}, texts: ${texts}`,
      ...found.map(({ code, message }) => `  ${code}: ${message}`),
    ]),
    document: { logs: results },
  };
}

interface Damage {
  readonly code: string;
  readonly message: string;
}

interface VerifiedLog {
  readonly log: string;
  readonly records: number;
  readonly texts: number;
  readonly damages: readonly Damage[];
}

/** Goes on after damage: all of it is listed. */
async function verifyOne(
  { store, trust }: RegistryAccess,
  log: LogName,
  signal: AbortSignal,
): Promise<VerifiedLog> {
  const damages: Damage[] = [];
  const records: VerifiedRecord[] = [];
  const note = noteIn(damages);
  await verifyLog(store, log, trust, { signal, onRecord: (record) => records.push(record) }).catch(note);
  const checked = new Set<string>();
  const named = records.flatMap(({ record }) => [
    record.release,
    ...record.variants.map(({ release }) => release),
  ]);
  for (const reference of named) {
    if (checked.has(reference.digest)) continue;
    checked.add(reference.digest);
    const release = await readRelease(store, reference, signal).catch(note);
    for (const blob of release ? blobsOfRelease(release) : []) {
      if (checked.has(blob.digest)) continue;
      checked.add(blob.digest);
      await readTextBlob(store, blob, signal).catch(note);
    }
  }
  for (const { record } of records) {
    if (!record.verdict || checked.has(record.verdict.digest)) continue;
    checked.add(record.verdict.digest);
    await readTextBlob(store, record.verdict, signal).catch(noteUnlessMissing(damages));
  }
  return { log: formatLogName(log), records: records.length, texts: checked.size, damages };
}

function noteIn(damages: Damage[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof RegistryError)) throw error;
    damages.push({ code: error.code, message: error.message });
  };
}

/** Nothing that is served depends on a verdict; `registry gc` of a version that knows none deletes them. */
function noteUnlessMissing(damages: Damage[]): (error: unknown) => undefined {
  const note = noteIn(damages);
  return (error) =>
    error instanceof RegistryError && error.code === 'BLOB_MISSING' ? undefined : note(error);
}
