import type { Row } from './measure.ts';

/** How much CPU time a request to our gateway may cost at most, measured by another row of the same run. */
interface Goal {
  readonly scenario: string;
  /** The row that is the measure. */
  readonly target: string;
  /** @default the goal's own scenario */
  readonly scenarioOfTarget?: string;
  /** Ours, divided by the measure, must not exceed it. */
  readonly ratio: number;
}

/** A goal, and what a run has measured. */
export interface JudgedGoal {
  readonly text: string;
  /** CPU milliseconds of a request; nothing where the run did not measure it. */
  readonly measured: number | undefined;
  readonly limit: number | undefined;
  readonly verdict: 'met' | 'not met' | 'not measured';
}

const GOALS: readonly Goal[] = [
  { scenario: 'nested, differing clients', target: 'stock', ratio: 1 / 12 },
  { scenario: 'nested, differing clients', target: 'grafbase-rust', ratio: 1 },
  {
    scenario: 'nested, 128 connections',
    target: 'trellis',
    scenarioOfTarget: 'nested, differing clients',
    ratio: 1.3,
  },
  { scenario: 'nested, identical clients', target: 'stock', ratio: 1 / 100 },
  { scenario: 'three hops', target: 'stock', ratio: 1 / 8 },
  { scenario: 'single fetch', target: 'stock', ratio: 1 / 9 },
  { scenario: 'single fetch', target: 'floor', ratio: 1 },
  { scenario: 'list of 1 MB', target: 'stock', ratio: 1 / 12 },
  { scenario: '1,000 new operations', target: 'stock', ratio: 0.7 },
  { scenario: '1,000 distinct operations', target: 'stock', ratio: 1 / 8 },
];

/** Holds the rows of a run against the goals. */
export function judgeGoals(rows: readonly Row[]): readonly JudgedGoal[] {
  return GOALS.map((goal) => judge(goal, rows));
}

function judge(goal: Goal, rows: readonly Row[]): JudgedGoal {
  const { scenario, target, scenarioOfTarget = scenario, ratio } = goal;
  const cpuOf = (ofScenario: string, ofTarget: string): number | undefined =>
    rows.find((row) => row.scenario === ofScenario && row.target === ofTarget)?.figures.cpuMsPerRequest;
  const [measured, measure] = [cpuOf(scenario, 'trellis'), cpuOf(scenarioOfTarget, target)];
  const limit = measure === undefined ? undefined : measure * ratio;
  return { text: textOf(goal), measured, limit, verdict: verdictOf(measured, limit) };
}

function verdictOf(measured: number | undefined, limit: number | undefined): JudgedGoal['verdict'] {
  if (measured === undefined || limit === undefined) return 'not measured';
  return measured <= limit ? 'met' : 'not met';
}

function textOf({ scenario, target, scenarioOfTarget, ratio }: Goal): string {
  if (scenarioOfTarget !== undefined) return `${scenario}: at most ${ratio} times “${scenarioOfTarget}”`;
  if (ratio === 1) return `${scenario}: no more than ${target}`;
  return `${scenario}: at most ${ratio > 0.5 ? ratio : `1/${Math.round(1 / ratio)}`} of ${target}`;
}
