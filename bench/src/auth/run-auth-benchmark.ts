import { setTimeout as pause } from 'node:timers/promises';
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

interface Round {
  readonly cpuMs: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number;
}

/** Rounds before those that count, for the caches and the compiler. */
const WARM_UP_ROUNDS = 3;
/** What requests leave to be done later, such as storing a batch of audit events, counts with the round that they belong to. */
const SETTLING_MS = 500;

/**
 * Runs our auth-server and node-oidc-provider on one Redis, in turns, and measures what a refresh and the exchange of a
 * code cost each of them.
 *
 * @returns a table in Markdown
 */
export async function runAuthBenchmark({
  rounds,
  scenario = '',
  print,
  begin,
}: AuthBenchmarkOptions): Promise<string> {
  const stores = await startAuthStores();
  const targets: AuthTarget[] = [];
  try {
    targets.push(await startOurs(stores), await startPeer(stores));
    const rows: string[] = [];
    for (const chosen of tokenScenarios.filter(({ name }) => name.includes(scenario))) {
      begin?.(chosen.name);
      rows.push(...(await compare(targets, chosen, rounds, print)));
    }
    return [...HEAD, ...rows].join('\n');
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
    await stores.stop();
  }
}

const HEAD = [
  '| Scenario | Server | CPU ms / request | of the peer | requests / s | p50 ms | p99 ms | MB |',
  '| --- | --- | --- | --- | --- | --- | --- | --- |',
];

async function compare(
  targets: readonly AuthTarget[],
  scenario: TokenScenario,
  rounds: number,
  print: (line: string) => void,
): Promise<readonly string[]> {
  const measured = new Map<AuthTarget, Round[]>(targets.map((target) => [target, []]));
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1)
    for (const target of targets) await measure(target, scenario);
  for (let round = 0; round < rounds; round += 1)
    for (const target of targets) measured.get(target)?.push(await measure(target, scenario));
  const figures = [...measured].map(([{ name }, list]) => ({ name, median: medianOf(list) }));
  const peer = figures.find(({ name }) => name !== 'trellis')?.median.cpuMs ?? Number.NaN;
  print(
    `${scenario.name}: ${figures.map(({ name, median }) => `${name} ${median.cpuMs.toFixed(3)} ms`).join(', ')}`,
  );
  return figures.map(({ name, median: { cpuMs, requestsPerSecond, p50Ms, p99Ms, residentMb } }) => {
    const share = `${Math.round((cpuMs / peer) * 100)} %`;
    const rest = [requestsPerSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1), residentMb.toFixed(0)];
    return `| ${[scenario.name, name, cpuMs.toFixed(3), share, ...rest].join(' | ')} |`;
  });
}

async function measure(target: AuthTarget, { kind, algorithm }: TokenScenario): Promise<Round> {
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

function medianOf(rounds: readonly Round[]): Round {
  const median = (figure: keyof Round): number =>
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
