import { markdownTable } from '../markdown-table.ts';
import { cachePolicies } from './cache-policies.ts';
import { createTraces, ROOM, type Trace } from './traces.ts';

/** Which part of a trace each policy had, from 0 to 1. */
export interface HitRatios {
  readonly trace: string;
  /** By the policy's name. */
  readonly ratios: Readonly<Record<string, number>>;
}

/** What is compared on what. */
export interface CacheComparison {
  /** @default those of the seed 1 */
  readonly traces?: Readonly<Record<string, Trace>> | undefined;
}

/** Runs every trace through every policy. The same traces give the same figures. */
export function compareCaches({ traces = createTraces(1) }: CacheComparison = {}): readonly HitRatios[] {
  return Object.entries(traces).map(([trace, keys]) => ({
    trace,
    ratios: Object.fromEntries(
      Object.entries(cachePolicies).map(([name, create]) => [name, hitRatio(create(ROOM), keys)]),
    ),
  }));
}

/** The figures as a table, in percent. */
export function formatHitRatios(figures: readonly HitRatios[]): string {
  const names = Object.keys(cachePolicies);
  const rows = figures.map(({ trace, ratios }) => [
    trace,
    ...names.map((name) => ((ratios[name] ?? 0) * 100).toFixed(1)),
  ]);
  return markdownTable(['Hits of 100', ...names], rows);
}

function hitRatio(policy: ReturnType<(typeof cachePolicies)[string]>, trace: Trace): number {
  let hits = 0;
  for (const key of trace) if (policy.use(key)) hits += 1;
  return hits / trace.length;
}
