import { setTimeout as pause } from 'node:timers/promises';
import { markdownTable } from '../markdown-table.ts';
import { startAuthStores } from './auth-stores.ts';
import { startOurs, startPeer, type AuthTarget } from './auth-targets.ts';
import { REQUESTS, SEEDS, tokenScenarios, type TokenScenario } from './seed.ts';
import { applyTokenLoad } from './token-load.ts';

/** What to measure. */
export interface AuthBenchmarkOptions {
  /** Rounds of each scenario; the servers take turns within a round. */
  readonly rounds: number;
  /** Part of the names of the scenarios to run. @default '' which is all of them */
  readonly scenario?: string;
  /** Prints a line of progress. */
  readonly print: (line: string) => void;
  /** Shows what is measured from now on. */
  readonly begin?: (name: string) => void;
}

/** What one server did in one round of one scenario. */
export interface AuthFigures {
  readonly cpuMs: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number;
}

/** A row of the table. */
export interface AuthRow {
  readonly scenario: string;
  readonly target: string;
  readonly figures: AuthFigures;
}

/** Rounds before those that count, for the caches and the compiler. */
const WARM_UP_ROUNDS = 3;
/** What requests leave to be done later, such as storing a batch of audit events, counts with the round that they belong to. */
const SETTLING_MS = 500;

/**
 * Runs our auth-server and node-oidc-provider on one Redis, in turns, and measures what a refresh and the exchange of a
 * code cost each of them.
 */
export async function runAuthBenchmark({
  rounds,
  scenario = '',
  print,
  begin,
}: AuthBenchmarkOptions): Promise<readonly AuthRow[]> {
  const stores = await startAuthStores();
  const targets: AuthTarget[] = [];
  try {
    targets.push(await startOurs(stores), await startPeer(stores));
    const rows: AuthRow[] = [];
    for (const chosen of tokenScenarios.filter(({ name }) => name.includes(scenario))) {
      begin?.(chosen.name);
      rows.push(...(await compare(targets, chosen, rounds, print)));
    }
    return rows;
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
    await stores.stop();
  }
}

const HEAD = [
  'Scenario',
  'Server',
  'CPU ms / request',
  'of the peer',
  'requests / s',
  'p50 ms',
  'p99 ms',
  'MB',
];

/** The rows as a table in Markdown. */
export function formatAuthRows(rows: readonly AuthRow[]): string {
  return markdownTable(
    HEAD,
    rows.map((row) => cellsOf(row, rows)),
  );
}

function cellsOf({ scenario, target, figures }: AuthRow, rows: readonly AuthRow[]): string[] {
  const { cpuMs, requestsPerSecond, p50Ms, p99Ms, residentMb } = figures;
  const peer = rows.find((row) => row.scenario === scenario && row.target !== 'trellis');
  const share = `${Math.round((cpuMs / (peer?.figures.cpuMs ?? Number.NaN)) * 100)} %`;
  const rest = [requestsPerSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1), residentMb.toFixed(0)];
  return [scenario, target, cpuMs.toFixed(3), share, ...rest];
}

async function compare(
  targets: readonly AuthTarget[],
  scenario: TokenScenario,
  rounds: number,
  print: (line: string) => void,
): Promise<readonly AuthRow[]> {
  const measured = new Map<AuthTarget, AuthFigures[]>(targets.map((target) => [target, []]));
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1)
    for (const target of targets) await measure(target, scenario);
  for (let round = 0; round < rounds; round += 1)
    for (const target of targets) measured.get(target)?.push(await measure(target, scenario));
  const rows = [...measured].map(([{ name }, list]) => ({
    scenario: scenario.name,
    target: name,
    figures: medianOf(list),
  }));
  const costs = rows.map(({ target, figures }) => `${target} ${figures.cpuMs.toFixed(3)} ms`);
  print(`${scenario.name}: ${costs.join(', ')}`);
  return rows;
}

async function measure(target: AuthTarget, { kind, algorithm }: TokenScenario): Promise<AuthFigures> {
  const seeds = await target.seed(kind, algorithm, SEEDS[kind]);
  await pause(SETTLING_MS);
  const before = target.processorTimeMs();
  const load = await applyTokenLoad(target, kind, algorithm, seeds, REQUESTS[kind]);
  const { requests, seconds, latenciesMs } = load;
  await pause(SETTLING_MS);
  return {
    cpuMs: (target.processorTimeMs() - before) / requests,
    requestsPerSecond: requests / seconds,
    p50Ms: latenciesMs[Math.floor(requests * 0.5)] ?? Number.NaN,
    p99Ms: latenciesMs[Math.floor(requests * 0.99)] ?? Number.NaN,
    residentMb: target.residentBytes() / 1_048_576,
  };
}

function medianOf(rounds: readonly AuthFigures[]): AuthFigures {
  const median = (figure: keyof AuthFigures): number =>
    rounds.map((round) => round[figure]).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ??
    Number.NaN;
  return {
    cpuMs: median('cpuMs'),
    requestsPerSecond: median('requestsPerSecond'),
    p50Ms: median('p50Ms'),
    p99Ms: median('p99Ms'),
    residentMb: median('residentMb'),
  };
}
