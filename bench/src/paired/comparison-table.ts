import { markdownTable } from '../markdown-table.ts';
import { MAX_RATIO, type Comparison } from './compare-turns.ts';

/** A row of the table. */
export interface ComparedWork extends Comparison {
  readonly name: string;
  /** What the figures are of: a request, a delivery. */
  readonly unit: string;
}

const HEAD = [
  'scenario',
  'of each',
  'pairs',
  'before, CPU ms',
  'now, CPU ms',
  'ratio',
  'half of the ratios',
  'event loop before, ms',
  'event loop now, ms',
  `at most ${MAX_RATIO}`,
];

/** A Markdown table of what work costs in two checkouts, with a verdict for each row. */
export function formatComparisons(rows: readonly ComparedWork[]): string {
  return markdownTable(HEAD, rows.map(cellsOf));
}

function cellsOf({ name, unit, pairs, before, now, ratio, quartiles }: ComparedWork): string[] {
  return [
    name,
    unit,
    String(pairs),
    before.totalMs.toFixed(4),
    now.totalMs.toFixed(4),
    ratio.toFixed(3),
    quartiles.map((quartile) => quartile.toFixed(2)).join('–'),
    before.mainMs.toFixed(4),
    now.mainMs.toFixed(4),
    ratio <= MAX_RATIO ? 'met' : 'not met',
  ];
}
