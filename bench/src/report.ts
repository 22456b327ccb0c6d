import type { Measurement } from './measure.ts';

/** One row of the table. */
export interface Row {
  readonly scenario: string;
  readonly target: string;
  readonly figures: Measurement;
}

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

/** A Markdown table; `of stock` is the target's CPU as a fraction of stock @apollo/gateway's in the same scenario, `of the floor` as a multiple of the hand-written program's. */
export function formatTable(rows: readonly Row[]): string {
  const lines = [HEAD, HEAD.map(() => '---'), ...rows.map((row) => cellsOf(row, rows))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
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
    figures.subgraphCallsPerRequest.toFixed(1),
  ];
}
