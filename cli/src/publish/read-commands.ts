import { DEFAULT_CHECK_RULES } from '@trellis/composition';
import {
  blobsOfRelease,
  formatLogName,
  readRelease,
  readTextBlob,
  RegistryError,
  verifyLog,
  type LogName,
  type PublishedRelease,
  type VerifiedRecord,
} from '@trellis/registry';
import { readPublishedGraph, readRecords, type PublishedGraph } from '../registry/published-graph.ts';
import {
  logOf,
  openForReading,
  type Environment,
  type GraphOptions,
  type RegistryAccess,
} from '../registry/registry-access.ts';
import { checkGraphs } from '../supergraph/check-graphs.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { describeRecord, recordDocument } from './describe-record.ts';

/** `trellis history`: the log, the newest record first. @throws RegistryError */
export async function historyCommand(
  options: GraphOptions & { readonly limit?: string },
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const log = logOf(options, env);
  const records = await readRecords(await openForReading(options, env), log, signal);
  const shown = records.toReversed().slice(0, countOf(options.limit));
  return {
    exit: 0,
    lines: shown.length === 0 ? [`${formatLogName(log)} has no release yet.`] : shown.map(describeRecord),
    document: { records: shown.map(recordDocument) },
  };
}

/** `trellis diff`: what changes between two records, as a check says it. @throws RegistryError */
export async function diffCommand(
  options: GraphOptions & { readonly from?: string; readonly to?: string },
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const log = logOf(options, env);
  const access = await openForReading(options, env);
  const records = await readRecords(access, log, signal);
  const to = options.to === undefined ? records.at(-1) : find(records, options.to);
  const from = options.from === undefined ? before(records, to) : find(records, options.from);
  if (!from || !to) throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no two such records.`);
  const read = (one: VerifiedRecord): Promise<PublishedGraph> =>
    readPublishedGraph(access.store, one.record.release, formatLogName(log), signal);
  const [old, next] = [await read(from), await read(to)];
  const sources = new Map(next.subgraphs.map(({ source, sdl }) => [source, sdl]));
  const report = await checkGraphs({
    base: old,
    baseName: formatLogName(log),
    composed: { ...next, diagnostics: [], sources },
    rules: DEFAULT_CHECK_RULES,
    operations: [],
    limits: undefined,
    limitsAgainst: undefined,
    place: formatLogName(log),
    now: new Date(),
  });
  if (typeof report === 'string') throw new RegistryError('INVALID_RECORD', report.trim());
  const subgraphs = subgraphDifferences(old.published, next.published);
  return {
    exit: 0,
    lines: [
      `from ${describeRecord(from)}`,
      `to   ${describeRecord(to)}`,
      ...subgraphs.map(({ name, change }) => `${change}: ${name}`),
    ],
    document: { from: recordDocument(from), to: recordDocument(to), subgraphs },
    report: { report, sources },
  };
}

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

/** `trellis status`: what each environment serves. @throws RegistryError */
export async function statusCommand(
  options: GraphOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const access = await openForReading(options, env);
  const logs = await access.store.listLogs(signal);
  const heads = [];
  for (const log of logs) {
    const head = await verifyLog(access.store, log, access.trust, { signal });
    if (head) heads.push(head);
  }
  return {
    exit: 0,
    lines: heads.length === 0 ? ['No environment has a release yet.'] : heads.map(describeRecord),
    document: { heads: heads.map(recordDocument) },
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
  for (const { record } of records) {
    if (checked.has(record.release.digest)) continue;
    checked.add(record.release.digest);
    const release = await readRelease(store, record.release, signal).catch(note);
    for (const blob of release ? blobsOfRelease(release) : []) {
      if (checked.has(blob.digest)) continue;
      checked.add(blob.digest);
      await readTextBlob(store, blob, signal).catch(note);
    }
  }
  return { log: formatLogName(log), records: records.length, texts: checked.size, damages };
}

function noteIn(damages: Damage[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof RegistryError)) throw error;
    damages.push({ code: error.code, message: error.message });
  };
}

function countOf(limit = '50'): number {
  if (/^[1-9]\d{0,7}$/.test(limit)) return Number(limit);
  throw new RegistryError('INVALID_NAME', `--limit takes a number from 1, not ${JSON.stringify(limit)}.`);
}

function find(records: readonly VerifiedRecord[], sequence: string): VerifiedRecord | undefined {
  return records.find(({ record }) => String(record.sequence) === sequence);
}

function before(
  records: readonly VerifiedRecord[],
  to: VerifiedRecord | undefined,
): VerifiedRecord | undefined {
  return to && records.findLast(({ record }) => record.sequence < to.record.sequence);
}

interface SubgraphDifference {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'schema changed' | 'routing changed';
}

function subgraphDifferences(from: PublishedRelease, to: PublishedRelease): readonly SubgraphDifference[] {
  const old = new Map(from.subgraphs.map((subgraph) => [subgraph.name, subgraph]));
  const names = new Set(to.subgraphs.map(({ name }) => name));
  const removed = from.subgraphs.filter(({ name }) => !names.has(name));
  return [
    ...removed.map(({ name }) => ({ name, change: 'removed' as const })),
    ...to.subgraphs.flatMap(({ name, schema, routing }): readonly SubgraphDifference[] => {
      const known = old.get(name);
      if (!known) return [{ name, change: 'added' }];
      return [
        ...(known.schema.digest === schema.digest ? [] : [{ name, change: 'schema changed' as const }]),
        ...(JSON.stringify(known.routing) === JSON.stringify(routing)
          ? []
          : [{ name, change: 'routing changed' as const }]),
      ];
    }),
  ];
}
