/** What is compared, in callers. */
export interface ComparedCallers {
  readonly main: number;
  readonly canary: number;
}

/** Below so much Chernoff's bound stands for the tail: it differs from it by less than what would decide. */
const COMPUTED_FROM = 4;
/** Above so much nothing more is to be decided. */
const COMPUTED_TO = 40;

/**
 * How surprising it is that so many of the callers with a failure are on the canary's side, where chance has put each caller there
 * with the probability `share`: the binomial tail, one-sided. It is computed exactly where that may decide; elsewhere Chernoff's bound
 * stands for it, which is never surer. The normal approximation of Cochran, Mantel and Haenszel is too sure of few callers.
 *
 * @param share of the callers that are on the canary's side, 0 to 1
 * @returns the natural logarithm of the evidence; 0 where the canary has no more than its share
 */
export function evidenceOf(callers: ComparedCallers, share: number): number {
  const bound = chernoff(callers, share);
  return bound < COMPUTED_FROM || bound > COMPUTED_TO ? bound : -logOfTail(callers, share);
}

function chernoff({ main, canary }: ComparedCallers, share: number): number {
  const part = canary / (main + canary);
  if (canary === 0 || part <= share) return 0;
  const ofCanary = canary * Math.log(part / share);
  return main === 0 ? ofCanary : ofCanary + main * Math.log((1 - part) / (1 - share));
}

/** ln P(X ≥ canary), X binomial of all callers. Above the mean its terms fall: the sum is the first one times a short series. */
function logOfTail({ main, canary }: ComparedCallers, share: number): number {
  const all = main + canary;
  const first =
    logFactorial(all) -
    logFactorial(canary) -
    logFactorial(main) +
    canary * Math.log(share) +
    main * Math.log1p(-share);
  const odds = share / (1 - share);
  let [sum, term] = [1, 1];
  for (let hits = canary; hits < all && term > sum * Number.EPSILON; hits += 1) {
    term *= ((all - hits) / (hits + 1)) * odds;
    sum += term;
  }
  return first + Math.log(sum);
}

const EXACT_UP_TO = 256;

const exactLogs: readonly number[] = Array.from({ length: EXACT_UP_TO }).reduce<number[]>(
  (logs, _none, index) => [...logs, index === 0 ? 0 : (logs[index - 1] ?? 0) + Math.log(index)],
  [],
);

/** ln n!; Stirling's series beyond what is tabled, to some 15 digits. */
function logFactorial(count: number): number {
  const exact = exactLogs[count];
  if (exact !== undefined) return exact;
  const stirling = count * Math.log(count) - count + Math.log(2 * Math.PI * count) / 2;
  return stirling + 1 / (12 * count) - 1 / (360 * count ** 3);
}
