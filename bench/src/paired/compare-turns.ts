/** What a unit of work (a request, a delivery) has cost in one turn, in milliseconds of processor time. */
export interface Turn {
  readonly totalMs: number;
  /** Of it in the event loop. */
  readonly mainMs: number;
}

/** A turn of each of both, one right after the other. */
export interface TurnPair {
  readonly before: Turn;
  readonly now: Turn;
}

/** What a unit of work costs in two checkouts. */
export interface Comparison {
  readonly pairs: number;
  /** Medians. */
  readonly before: Turn;
  readonly now: Turn;
  /** The median of `now` divided by `before`, each within a pair: what the machine did at the time is in both. */
  readonly ratio: number;
  /** Half of the ratios lie between these: where 1 does, so may the truth. */
  readonly quartiles: readonly [lower: number, upper: number];
}

/** No step may make anything dearer by more than this. */
export const MAX_RATIO = 1.03;

/**
 * Compares what was measured in turns.
 *
 * @throws RangeError when there is no pair
 */
export function compareTurns(pairs: readonly TurnPair[]): Comparison {
  const ratios = pairs.map(({ before, now }) => now.totalMs / before.totalMs);
  return {
    pairs: pairs.length,
    before: medianTurn(pairs.map(({ before }) => before)),
    now: medianTurn(pairs.map(({ now }) => now)),
    ratio: quantile(ratios, 0.5),
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  };
}

function medianTurn(turns: readonly Turn[]): Turn {
  return {
    totalMs: quantile(
      turns.map(({ totalMs }) => totalMs),
      0.5,
    ),
    mainMs: quantile(
      turns.map(({ mainMs }) => mainMs),
      0.5,
    ),
  };
}

/** Between two values, in proportion: of an even number the median is the mean of both in the middle. */
function quantile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const [lower, upper] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  if (lower === undefined || upper === undefined) throw new RangeError('Nothing was measured.');
  return lower + (upper - lower) * (position - Math.floor(position));
}
