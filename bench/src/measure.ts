import { applyLoad } from './load.ts';
import type { Operation } from './operations.ts';
import type { Scenario } from './scenarios.ts';
import type { TargetProcess } from './target-process.ts';

/** What one target did in one round of one scenario. */
export interface Measurement {
  readonly cpuMsPerRequest: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number;
  readonly subgraphRequestsPerRequest: number;
}

/** One row of the table. */
export interface Row {
  readonly scenario: string;
  readonly target: string;
  readonly figures: Measurement;
}

/**
 * Applies one round of load to one target.
 *
 * @param round from 1; 0 is the warm-up
 * @param countCalls requests that all subgraphs have answered so far
 */
export async function measure(
  target: TargetProcess,
  scenario: Scenario,
  round: number,
  countCalls: () => Promise<number>,
): Promise<Measurement> {
  const [cpuBefore, callsBefore] = [target.processorTimeMs(), await countCalls()];
  const operation = (index: number): Operation => scenario.operation(index, round);
  const load = { ...scenario, url: target.url, operation };
  const { requests, seconds, latenciesMs } = await applyLoad(load);
  const [cpuAfter, callsAfter] = [target.processorTimeMs(), await countCalls()];
  return {
    cpuMsPerRequest: (cpuAfter - cpuBefore) / requests,
    requestsPerSecond: requests / seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    residentMb: target.residentBytes() / 1_048_576,
    subgraphRequestsPerRequest: (callsAfter - callsBefore) / requests,
  };
}

/** The median of each figure over several rounds. */
export function medianOf(rounds: readonly Measurement[]): Measurement {
  const median = (figure: keyof Measurement): number =>
    quantile(
      rounds.map((round) => round[figure]).toSorted((a, b) => a - b),
      0.5,
    );
  return {
    cpuMsPerRequest: median('cpuMsPerRequest'),
    requestsPerSecond: median('requestsPerSecond'),
    p50Ms: median('p50Ms'),
    p99Ms: median('p99Ms'),
    residentMb: median('residentMb'),
    subgraphRequestsPerRequest: median('subgraphRequestsPerRequest'),
  };
}

function quantile(ascending: readonly number[], fraction: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * fraction))] ?? Number.NaN;
}
