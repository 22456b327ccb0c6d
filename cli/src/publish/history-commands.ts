import { DEFAULT_CHECK_RULES, type HtmlSection, type Report, type Sources } from '@trellis/composition';
import { formatLogName, RegistryError, type LogName, type VerifiedRecord } from '@trellis/registry';
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
import { contractsOfRecords, type ContractNames } from './contracts-of-records.ts';
import { compareReleases, linesOf, type ReleaseDifferences } from './release-differences.ts';

/** `trellis history`: the log, the newest record first; as a page with what each record changes. @throws RegistryError */
export async function historyCommand(
  options: GraphOptions & { readonly limit?: string; readonly format?: string },
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { log, access, records } = await readLog(options, env, signal);
  const isPage = options.format === 'html';
  const shown = records.toReversed().slice(0, countOf(options.limit, isPage ? '10' : '50'));
  const contractsOf = await contractsOfRecords(access, shown, signal);
  const document = { records: shown.map((one) => recordDocument(one, contractsOf(one))) };
  if (isPage) {
    const sections = await sectionsOf(access, log, { records, shown, contractsOf }, signal);
    return { exit: 0, lines: [`History of ${formatLogName(log)}`], document, sections };
  }
  const lines = shown.map((one) => describeRecord(one, contractsOf(one)));
  return {
    exit: 0,
    lines: lines.length === 0 ? [`${formatLogName(log)} has no release yet.`] : lines,
    document,
  };
}

interface ReadLog {
  readonly log: LogName;
  readonly access: RegistryAccess;
  readonly records: readonly VerifiedRecord[];
}

async function readLog(options: GraphOptions, env: Environment, signal: AbortSignal): Promise<ReadLog> {
  const log = logOf(options, env);
  const access = await openForReading(options, env);
  return { log, access, records: await readRecords(access, log, signal) };
}

interface ShownRecords {
  readonly records: readonly VerifiedRecord[];
  /** The newest first. */
  readonly shown: readonly VerifiedRecord[];
  readonly contractsOf: ContractNames;
}

/** Each record with what it changes against the one before. */
async function sectionsOf(
  access: RegistryAccess,
  log: LogName,
  { records, shown, contractsOf }: ShownRecords,
  signal: AbortSignal,
): Promise<readonly HtmlSection[]> {
  const sections: HtmlSection[] = [];
  for (const one of shown) {
    const { sequence, action } = one.record;
    const heading = `${sequence}: ${action}`;
    const earlier = before(records, one);
    const isSame = earlier?.record.release.digest === one.record.release.digest;
    const lines = [
      describeRecord(one, contractsOf(one)),
      ...(earlier === undefined ? ['The first record.'] : []),
      ...(isSame ? ['The same release as before.'] : []),
    ];
    const compared =
      earlier && !isSame ? await compareRecords(access, log, [earlier, one], signal) : undefined;
    sections.push({
      id: `record-${sequence}`,
      heading,
      lines: [...lines, ...(compared ? linesOf(compared) : [])],
      report: compared?.report,
    });
  }
  return sections;
}

/** `trellis diff`: what changes between two records, as a check says it. @throws RegistryError */
export async function diffCommand(
  options: GraphOptions & { readonly from?: string; readonly to?: string },
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { log, access, records } = await readLog(options, env, signal);
  const to = options.to === undefined ? records.at(-1) : find(records, options.to);
  const from = options.from === undefined ? before(records, to) : find(records, options.from);
  if (!from || !to) throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no two such records.`);
  const compared = await compareRecords(access, log, [from, to], signal);
  const { report, sources, subgraphs, contracts } = compared;
  return {
    exit: 0,
    lines: [`from ${describeRecord(from)}`, `to   ${describeRecord(to)}`, ...linesOf(compared)],
    document: { from: recordDocument(from), to: recordDocument(to), subgraphs, contracts },
    report: { report, sources },
  };
}

interface ComparedRecords extends ReleaseDifferences {
  readonly report: Report;
  readonly sources: Sources;
}

async function compareRecords(
  { store }: RegistryAccess,
  log: LogName,
  [from, to]: readonly [VerifiedRecord, VerifiedRecord],
  signal: AbortSignal,
): Promise<ComparedRecords> {
  const place = formatLogName(log);
  const read = (one: VerifiedRecord): Promise<PublishedGraph> =>
    readPublishedGraph(store, one.record.release, place, signal);
  const [old, next] = [await read(from), await read(to)];
  const sources = new Map(next.subgraphs.map(({ source, sdl }) => [source, sdl]));
  const report = await checkGraphs({
    base: old,
    baseName: place,
    composed: { ...next, diagnostics: [], sources },
    rules: { ...DEFAULT_CHECK_RULES, contracts: next.contracts },
    operations: [],
    limits: undefined,
    limitsAgainst: undefined,
    place,
    now: new Date(),
  });
  if (typeof report === 'string') throw new RegistryError('INVALID_RECORD', report.trim());
  return { report, sources, ...compareReleases(old.published, next.published) };
}

function countOf(given: string | undefined, usual: string): number {
  const limit = given ?? usual;
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
