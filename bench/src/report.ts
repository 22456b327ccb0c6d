import type { JudgedGoal } from './goals.ts';
import { markdownTable } from './markdown-table.ts';
import type { Row } from './measure.ts';
import type { BenchmarkResult } from './run-benchmark.ts';

const HEAD = [
  'scenario',
  'target',
  'CPU ms/request',
  'of stock',
  'of the floor',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'RSS MB',
  'calls/request',
];

/** What was measured, and which goals are met, as two tables in Markdown. */
export function formatBenchmark({ rows, goals }: BenchmarkResult): string {
  return `${formatTable(rows)}\n\n${formatGoals(goals)}`;
}

/** A Markdown table; `of stock` is the target's CPU as a fraction of stock @apollo/gateway's in the same scenario, `of the floor` as a multiple of the hand-written program's. */
function formatTable(rows: readonly Row[]): string {
  return markdownTable(
    HEAD,
    rows.map((row) => cellsOf(row, rows)),
  );
}

/** A Markdown table that says of each goal whether it is met. */
function formatGoals(goals: readonly JudgedGoal[]): string {
  return markdownTable(
    ['goal', 'CPU ms/request', 'at most', 'verdict'],
    goals.map(({ text, measured, limit, verdict }) => [text, inMs(measured), inMs(limit), verdict]),
  );
}

function inMs(value: number | undefined): string {
  return value === undefined ? '–' : value.toFixed(3);
}

function cellsOf({ scenario, target, figures }: Row, rows: readonly Row[]): string[] {
  const cpuOf = (name: string): number | undefined =>
    rows.find((row) => row.scenario === scenario && row.target === name)?.figures.cpuMsPerRequest;
  const [stock, floor] = [cpuOf('stock'), cpuOf('floor')];
  return [
    scenario,
    target,
    figures.cpuMsPerRequest.toFixed(3),
    stock ? `1/${(stock / figures.cpuMsPerRequest).toFixed(1)}` : '–',
    floor ? (figures.cpuMsPerRequest / floor).toFixed(2) : '–',
    figures.requestsPerSecond.toFixed(0),
    figures.p50Ms.toFixed(1),
    figures.p99Ms.toFixed(1),
    figures.residentMb.toFixed(0),
    figures.subgraphRequestsPerRequest.toFixed(1),
  ];
}
