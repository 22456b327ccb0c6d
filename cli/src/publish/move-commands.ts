import type { Report } from '@trellis/composition';
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
  openForReading,
  storeOf,
  type Environment,
  type GraphOptions,
  type SigningAccess,
} from '../registry/registry-access.ts';
import { emptyReport } from '../supergraph/empty-report.ts';
import { readRules } from '../supergraph/read-rules.ts';
import { askedSubgraphs } from './asked-subgraphs.ts';
import type { AskedSubgraph } from './ask-schemas.ts';
import { checkPromotion, type PromotionChecks } from './check-promotion.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { recordDocument, shortDigest } from './describe-record.ts';
import { submit } from './submit.ts';
import { judgements, type ReleaseJudge } from './judgements.ts';
import { assertHonoured, verifyByOwnTrust } from './options-over-http.ts';
import { PublicationRejected } from './publication-rejected.ts';
import { approvalsOf } from './recorded-approvals.ts';
import { readRunningSubgraphs, withUnknown, type RunningOptions } from './running-subgraphs.ts';
import { guardedAddress, sentGuards } from './sent-guards.ts';
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
  assertHonoured(store, options);
  const running = await readRunningSubgraphs(options, env, () => askedOfRollback(log, options, env, signal));
  return withUnknown(running, async () => {
    if (!(store instanceof HttpStore)) {
      const access = await openForPublishing(options, env);
      return rollbackRelease(access, log, { to: options.to, running: running?.schemas }, signal);
    }
    await verifyByOwnTrust(options, env, [log], signal);
    const guards = sentGuards(running);
    const address = guardedAddress('rollbacks', 'guarded-rollbacks', guards);
    return submit(store, log, address, { to: options.to, ...guards }, signal);
  });
}

/** Those that are served, and those that the older release brings back. */
async function askedOfRollback(
  log: LogName,
  options: RollbackOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<readonly AskedSubgraph[]> {
  const access = await openForReading(options, env);
  const { record } = targetOf(await readRecords(access, log, signal), options.to, log);
  const { subgraphs } = await readPublishedGraph(access.store, record.release, formatLogName(log), signal);
  return askedSubgraphs(access, log, subgraphs, signal);
}

/** What is known of what runs, and who judges by it. */
interface MoveOptions {
  /** The schemas of subgraphs as they run; of others both versions may run. @default nothing is known */
  readonly running?: ReadonlyMap<string, string> | undefined;
  /** @default judges on the thread that calls */
  readonly judge?: ReleaseJudge | undefined;
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
    await guard(older, served, options.running ?? new Map(), options.judge);
    ended = endedContracts(served, older);
    return moveOf(access, current, target, 'rollback', undefined);
  });
  return withEndedContracts(outcomeOfMove('rolled back', appended.outcome, appended.head), ended);
}

/** The options of `trellis promote`. */
export interface PromoteOptions extends GraphOptions, RunningOptions {
  readonly from: string;
  readonly to: string;
  readonly actor?: string;
  readonly operations?: readonly string[];
  /** The `gateway.yaml` in force where it goes. */
  readonly limits?: string;
  /** @default `checks.yaml` in the folder where the command runs */
  readonly approvals?: string;
}

/**
 * `trellis promote`: what one environment serves, in another. Checked against what that serves now, as `publish` is, with approvals of
 * its own; and where `--deployed` or `--introspect` says what runs there, against that.
 *
 * @throws PublicationRejected, RegistryError
 */
export async function promoteCommand(
  options: PromoteOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { from, to } = logsOf(options, env);
  const store = storeOf(options, env);
  assertHonoured(store, options);
  const rules = await readRules({ approvals: options.approvals });
  const running = await readRunningSubgraphs(options, env, async () => {
    const access = await openForReading(options, env);
    const { graph } = await readHeadGraph(access, from, signal);
    return askedSubgraphs(access, to, graph.subgraphs, signal);
  });
  return withUnknown(running, async () => {
    if (!(store instanceof HttpStore)) {
      const { operations, limits } = options;
      const checks = { rules, operations, limits, running: running?.schemas };
      return promoteRelease(await openForPublishing(options, env), { from, to }, checks, signal);
    }
    await verifyByOwnTrust(options, env, [from, to], signal);
    const { approvals } = rules;
    const guards = { ...sentGuards(running, rules), ...(approvals.length > 0 && { approvals }) };
    const address = guardedAddress('promotions', 'guarded-promotions', guards);
    return submit(store, to, address, { from: from.environment, ...guards }, signal);
  });
}

/** Appends the release of one log to another. @throws PublicationRejected, RegistryError */
export async function promoteRelease(
  access: SigningAccess,
  { from, to }: { readonly from: LogName; readonly to: LogName },
  options: MoveOptions & PromotionChecks,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { store, trust } = access;
  const { head: source, graph: target } = await readHeadGraph(access, from, signal);
  const appended = await appendRecord({ ...access, log: to, signal }, async () => {
    const current = await verifyLog(store, to, trust, { signal });
    if (current?.record.release.digest === source.record.release.digest) return 'unchanged';
    const base =
      current && (await readPublishedGraph(store, current.record.release, formatLogName(to), signal));
    if (!base) return moveOf(access, current, source, 'promote', undefined);
    checkContracts(target, base, { from, to });
    const report = await checkPromotion(target, base, options, to);
    if (options.running) await guard(target, base, options.running, options.judge);
    const verdict = await writeVerdict(store, report, signal);
    return { ...moveOf(access, current, source, 'promote', report), verdict };
  });
  return outcomeOfMove('promoted', appended.outcome, appended.head);
}

/** `content@staging production`, or `staging production` with `--graph content@…`. */
function logsOf(
  { from, to, graph }: PromoteOptions,
  env: Environment,
): { readonly from: LogName; readonly to: LogName } {
  const name = graph ?? env['TRELLIS_GRAPH'];
  const [graphName = ''] = (name ?? from).split('@', 1);
  const logOfPart = (part: string): LogName =>
    logOf({ graph: part.includes('@') ? part : `${graphName}@${part}` }, {});
  return { from: logOfPart(from), to: logOfPart(to) };
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

/** @throws PublicationRejected */
async function guard(
  target: PublishedGraph,
  current: PublishedGraph,
  running: ReadonlyMap<string, string>,
  judge: ReleaseJudge = judgements,
): Promise<void> {
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

/** Variants that end themselves, canaries, end with the release that they were compared with. */
function moveOf(
  { actor }: SigningAccess,
  current: VerifiedRecord | undefined,
  { record }: VerifiedRecord,
  action: 'rollback' | 'promote',
  report: Report | undefined,
): NextRecord {
  return {
    release: record.release,
    routing: current?.record.routing ?? [],
    variants: (current?.record.variants ?? []).filter(({ abortsItself }) => !abortsItself),
    action,
    actor,
    approvals: approvalsOf(report),
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
