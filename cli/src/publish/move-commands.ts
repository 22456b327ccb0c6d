import { DEFAULT_CHECK_RULES, outcomeOf, type Report } from '@trellis/composition';
import {
  appendRecord,
  formatLogName,
  HttpStore,
  RegistryError,
  verifyLog,
  type LogName,
  type NextRecord,
  type VerifiedRecord,
} from '@trellis/registry';
import {
  readHeadGraph,
  readPublishedGraph,
  readRecords,
  type PublishedGraph,
} from '../registry/published-graph.ts';
import {
  logOf,
  openForPublishing,
  storeOf,
  type Environment,
  type GraphOptions,
  type SigningAccess,
} from '../registry/registry-access.ts';
import { emptyReport } from '../supergraph/empty-report.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { recordDocument, shortDigest } from './describe-record.ts';
import { submit } from './submit.ts';
import { judgements, type ReleaseJudge } from './judgements.ts';
import { PublicationRejected } from './publication-rejected.ts';
import { readRunningSubgraphs, type RunningOptions } from './running-subgraphs.ts';
import { writeVerdict } from './write-verdict.ts';

/** The options of `trellis rollback`. */
export interface RollbackOptions extends GraphOptions, RunningOptions {
  /** A sequence. @default the release before the one that is served */
  readonly to?: string;
  readonly actor?: string;
}

/**
 * `trellis rollback`: a higher sequence with an older release. Rejected when the subgraphs that run no longer serve it; where nothing
 * says what runs, that is what was published last.
 *
 * @throws PublicationRejected, RegistryError
 */
export async function rollbackCommand(
  options: RollbackOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const log = logOf(options, env);
  const store = storeOf(options, env);
  if (store instanceof HttpStore) return submit(store, log, 'rollbacks', { to: options.to }, signal);
  return rollbackRelease(await openForPublishing(options, env), log, options, signal);
}

/** What is known of what runs, and who judges by it. */
interface MoveOptions extends RunningOptions {
  /** @default judges on the thread that calls */
  readonly judge?: ReleaseJudge;
}

/** Appends an older release to a log. @throws PublicationRejected, RegistryError */
export async function rollbackRelease(
  access: SigningAccess,
  log: LogName,
  options: MoveOptions & { readonly to?: string | undefined },
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { store } = access;
  let ended: readonly string[] = [];
  const appended = await appendRecord({ ...access, log, signal }, async () => {
    const records = await readRecords(access, log, signal);
    const current = records.at(-1);
    if (!current) throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no release yet.`);
    const target = targetOf(records, options.to, log);
    if (target.record.release.digest === current.record.release.digest) return 'unchanged';
    const read = (from: VerifiedRecord): Promise<PublishedGraph> =>
      readPublishedGraph(store, from.record.release, formatLogName(log), signal);
    const [older, served] = [await read(target), await read(current)];
    await guard(older, served, options, true);
    ended = endedContracts(served, older);
    return moveOf(access, current, target, 'rollback');
  });
  return withEndedContracts(outcomeOfMove('rolled back', appended.outcome, appended.head), ended);
}

/** The options of `trellis promote`. */
export interface PromoteOptions extends GraphOptions, RunningOptions {
  readonly from: string;
  readonly to: string;
  readonly actor?: string;
  readonly operations?: readonly string[];
}

/**
 * `trellis promote`: what one environment serves, in another. Checked against what that serves now, as `publish` is; and where
 * `--deployed` or `--introspect` says what runs there, against that.
 *
 * @throws PublicationRejected, RegistryError
 */
export async function promoteCommand(
  options: PromoteOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const [from, to] = logsOf(options, env);
  const store = storeOf(options, env);
  if (store instanceof HttpStore) return submit(store, to, 'promotions', { from: from.environment }, signal);
  return promoteRelease(await openForPublishing(options, env), { from, to }, options, signal);
}

/** Appends the release of one log to another. @throws PublicationRejected, RegistryError */
export async function promoteRelease(
  access: SigningAccess,
  { from, to }: { readonly from: LogName; readonly to: LogName },
  options: MoveOptions & { readonly operations?: readonly string[] },
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { store, trust } = access;
  const { head: source, graph: target } = await readHeadGraph(access, from, signal);
  const appended = await appendRecord({ ...access, log: to, signal }, async () => {
    const current = await verifyLog(store, to, trust, { signal });
    if (current?.record.release.digest === source.record.release.digest) return 'unchanged';
    const base =
      current && (await readPublishedGraph(store, current.record.release, formatLogName(to), signal));
    if (!base) return moveOf(access, current, source, 'promote');
    checkContracts(target, base, { from, to });
    const report = await checkPromotion(target, base, options, to);
    await guard(target, base, options, false);
    const verdict = await writeVerdict(store, report, signal);
    return { ...moveOf(access, current, source, 'promote'), verdict };
  });
  return outcomeOfMove('promoted', appended.outcome, appended.head);
}

/** `content@staging production`, or `staging production` with `--graph content@…`. */
function logsOf({ from, to, graph }: PromoteOptions, env: Environment): readonly [LogName, LogName] {
  const name = graph ?? env['TRELLIS_GRAPH'];
  const [graphName = ''] = (name ?? from).split('@', 1);
  const logOfPart = (part: string): LogName =>
    logOf({ graph: part.includes('@') ? part : `${graphName}@${part}` }, {});
  return [logOfPart(from), logOfPart(to)];
}

function targetOf(records: readonly VerifiedRecord[], to: string | undefined, log: LogName): VerifiedRecord {
  const served = records.at(-1)?.record.release.digest;
  const target =
    to === undefined
      ? records.findLast(({ record }) => record.release.digest !== served)
      : records.find(({ record }) => String(record.sequence) === to);
  if (target) return target;
  const what = to === undefined ? 'release before the one that it serves' : `record ${JSON.stringify(to)}`;
  throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no ${what}.`);
}

async function guard(
  target: PublishedGraph,
  current: PublishedGraph,
  { judge = judgements, ...options }: MoveOptions,
  assumesPublished: boolean,
): Promise<void> {
  const known = await readRunningSubgraphs(options, current.subgraphs);
  if (!known && !assumesPublished) return;
  const running = known ?? new Map(current.subgraphs.map(({ name, sdl }) => [name, sdl]));
  const violations = await judge.guardRelease(target, current, running);
  if (violations.length > 0)
    throw new PublicationRejected('failed', emptyReport('check'), new Map(), violations);
}

/** Contracts that are served of one release, and not of the other. */
function endedContracts(served: PublishedGraph, next: PublishedGraph): readonly string[] {
  const left = new Set(next.contracts.map(({ name }) => name));
  return served.contracts.map(({ name }) => name).filter((name) => !left.has(name));
}

/** A promotion is no decision to end a contract. @throws RegistryError NO_CONTRACT */
function checkContracts(
  target: PublishedGraph,
  base: PublishedGraph,
  { from, to }: { readonly from: LogName; readonly to: LogName },
): void {
  const [ended] = endedContracts(base, target);
  if (ended === undefined) return;
  const [source, place] = [formatLogName(from), formatLogName(to)];
  throw new RegistryError(
    'NO_CONTRACT',
    `${place} serves the contract ${ended}, which the release of ${source} has not. Publish it there, or end it: trellis publish --contract ${ended} --remove --graph ${place}`,
  );
}

/** What is older than a contract is served without it: an incident does not wait. */
function withEndedContracts(outcome: CommandOutcome, ended: readonly string[]): CommandOutcome {
  if (ended.length === 0) return outcome;
  const line = `warning: the release has no contract ${ended.join(', ')}: gateways that serve it stay at the record before.`;
  return {
    ...outcome,
    lines: [...outcome.lines, line],
    document: { ...outcome.document, endedContracts: ended },
  };
}

/** Checks a release against what an environment serves. @returns what was found, which rejects nothing @throws PublicationRejected, RegistryError */
export async function checkPromotion(
  target: PublishedGraph,
  base: PublishedGraph,
  {
    operations = [],
    judge = judgements,
  }: Pick<MoveOptions, 'judge'> & { readonly operations?: readonly string[] },
  to: LogName,
): Promise<Report> {
  const name = formatLogName(to);
  const sources = new Map(target.subgraphs.map(({ source, sdl }) => [source, sdl]));
  const composed = { ...target, diagnostics: [], sources };
  const report = await judge.checkGraphs({
    base,
    baseName: name,
    composed,
    rules: { ...DEFAULT_CHECK_RULES, contracts: target.contracts },
    operations,
    limits: undefined,
    limitsAgainst: undefined,
    place: name,
    now: new Date(),
  });
  if (typeof report === 'string') throw new RegistryError('INVALID_RECORD', report.trim());
  const outcome = outcomeOf(report);
  if (outcome !== 'passed') throw new PublicationRejected(outcome, report, sources);
  return report;
}

/** Variants that end themselves, canaries, end with the release that they were compared with. */
function moveOf(
  { actor }: SigningAccess,
  current: VerifiedRecord | undefined,
  { record }: VerifiedRecord,
  action: 'rollback' | 'promote',
): NextRecord {
  return {
    release: record.release,
    routing: current?.record.routing ?? [],
    variants: (current?.record.variants ?? []).filter(({ abortsItself }) => !abortsItself),
    action,
    actor,
    approvals: [],
    source: { environment: record.environment, sequence: record.sequence },
  };
}

function outcomeOfMove(
  done: string,
  outcome: 'appended' | 'unchanged',
  head: VerifiedRecord,
): CommandOutcome {
  const { record } = head;
  const said = outcome === 'unchanged' ? 'already served' : done;
  return {
    exit: 0,
    lines: [`${said}: ${formatLogName(record)} ${record.sequence}, release ${shortDigest(record)}`],
    document: {
      outcome: outcome === 'unchanged' ? 'unchanged' : record.action,
      record: recordDocument(head),
    },
  };
}
