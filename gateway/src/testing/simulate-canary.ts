import { createRandom } from '@trellis/testkit/random';
import { CallerComparison, type Side } from '../variants/compare-callers.ts';
import { EstablishedOperations } from '../variants/established-operations.ts';

/** What is simulated without a difference between the two sides. */
export interface NoDifference {
  readonly hours: number;
  /** Seconds after which the next canary begins. Absent: only after one was stopped. */
  readonly canaryS?: number;
  /** Of the callers on the canary's side. */
  readonly share: number;
  /** Failures of all callers together, by chance. */
  readonly failuresPerS: number;
  /** Accounts that fail at half of their requests, one in a second; others every half hour. */
  readonly broken: number;
  readonly seed: number;
}

/** How often each rule stopped the canary. */
export interface NoDifferenceResult {
  readonly aborts: number;
  /** By Cochran, Mantel and Haenszel over requests: z > 4.5 and at least 5 failures within 60 s. */
  readonly byNormalApproximation: number;
}

/** Callers that are simulated. */
export const CALLERS = 20_000;
/** Parts of the requests that operations have. */
export const OPERATIONS = [0.3, 0.2, 0.12, 0.08, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02, 0.01, 0.01];
/** One that has 8 % of them. */
const BROKEN_OPERATION = 3;

/** One by chance, each as often as its part of {@link OPERATIONS}. */
export function anyOperation(random: () => number): number {
  let left = random();
  return Math.max(
    0,
    OPERATIONS.findIndex((part) => (left -= part) < 0),
  );
}

/** Simulates seconds of traffic whose failures have nothing to do with the canary. */
export function simulateWithoutDifference(setup: NoDifference): NoDifferenceResult {
  const random = createRandom(setup.seed).next;
  const sides = Array.from({ length: CALLERS }, (): Side => (random() < setup.share ? 'canary' : 'main'));
  const requests = new RequestsInWindow(setup.share);
  const listed = new EstablishedOperations();
  for (const operation of OPERATIONS.keys()) listed.list(operation); // all are judged from the beginning
  const begin = (begunAt: number): CallerComparison =>
    new CallerComparison({ share: setup.share, established: listed, begunAt });
  let comparison = begin(0);
  let broken: readonly number[] = [];
  let [aborts, byNormalApproximation] = [0, 0];
  const anyCaller = (): number => Math.floor(random() * CALLERS);
  for (let second = 0; second < setup.hours * 3_600; second += 1) {
    if (second % 1_800 === 0) broken = Array.from({ length: setup.broken }, anyCaller);
    const failing = Array.from({ length: poisson(setup.failuresPerS, random) }, anyCaller);
    for (const caller of [...failing, ...broken.filter(() => random() < 0.5)]) {
      const side = sides[caller] ?? 'main';
      comparison.add(side, caller, second, anyOperation(random));
      requests.add(side);
    }
    if (requests.isWorseAfter(second)) byNormalApproximation += 1;
    const isNext = (second + 1) % (setup.canaryS ?? Infinity) === 0;
    if (comparison.judgeAt(second + 1).isWorse) aborts += 1;
    else if (!isNext) continue;
    comparison = begin(second + 1);
  }
  return { aborts, byNormalApproximation };
}

/** What is simulated of a bad version. */
export interface BadVersion {
  readonly share: number;
  /** Of the canary's requests, beside {@link usual}. */
  readonly failing: number;
  /** Whether these are all requests of an operation, or a part of the requests of each. */
  readonly failsIn: 'one operation' | 'each operation';
  /** Of all requests. */
  readonly usual: number;
  readonly times: number;
  readonly seed: number;
}

/** Seconds until it was found. */
export interface FoundAfter {
  readonly medianS: number;
  readonly p95S: number;
}

const REQUESTS_PER_S = 200;

/** Simulates canaries under 200 requests a second of 20,000 callers. */
export function simulateBadVersion(setup: BadVersion): FoundAfter {
  const random = createRandom(setup.seed).next;
  const seconds = Array.from({ length: setup.times }, () => secondsUntilFound(setup, random));
  const sorted = seconds.toSorted((left, right) => left - right);
  const at = (part: number): number => sorted[Math.floor(part * sorted.length)] ?? Number.NaN;
  return { medianS: at(0.5), p95S: at(0.95) };
}

const GIVEN_UP_S = 600;

function secondsUntilFound({ share, failing, failsIn, usual }: BadVersion, random: () => number): number {
  const established = new EstablishedOperations();
  const comparison = new CallerComparison({ share, established, begunAt: 0 });
  const ofCanary = Math.round(CALLERS * share);
  const onCanary = (): number => Math.floor(random() * ofCanary);
  const onMain = (): number => ofCanary + Math.floor(random() * (CALLERS - ofCanary));
  const requestsPerS = { canary: REQUESTS_PER_S * share, main: REQUESTS_PER_S * (1 - share) };
  for (let second = 0; second < GIVEN_UP_S; second += 1) {
    for (let left = poisson(requestsPerS.main, random); left > 0; left -= 1)
      established.send(anyOperation(random), onMain(), second);
    const isOne = failsIn === 'one operation';
    for (let left = poisson(requestsPerS.canary * failing, random); left > 0; left -= 1)
      comparison.add('canary', onCanary(), second, isOne ? BROKEN_OPERATION : anyOperation(random));
    for (let left = poisson(requestsPerS.canary * usual, random); left > 0; left -= 1)
      comparison.add('canary', onCanary(), second, anyOperation(random));
    for (let left = poisson(requestsPerS.main * usual, random); left > 0; left -= 1)
      comparison.add('main', onMain(), second, anyOperation(random));
    if (comparison.judgeAt(second + 1).isWorse) return second + 1;
  }
  return GIVEN_UP_S;
}

/** The rule that {@link CallerComparison} is held against. */
class RequestsInWindow {
  readonly #share: number;
  readonly #seconds: { main: number; canary: number }[] = [];
  #latest = { main: 0, canary: 0 };
  #quietUntil = 0;

  constructor(share: number) {
    this.#share = share;
  }

  add(side: Side): void {
    this.#latest[side] += 1;
  }

  isWorseAfter(second: number): boolean {
    this.#seconds.push(this.#latest);
    this.#latest = { main: 0, canary: 0 };
    if (this.#seconds.length > 60) this.#seconds.shift();
    const canary = this.#seconds.reduce((sum, counted) => sum + counted.canary, 0);
    const all = canary + this.#seconds.reduce((sum, counted) => sum + counted.main, 0);
    const deviation = Math.sqrt(all * this.#share * (1 - this.#share));
    const isWorse = canary >= 5 && (canary - all * this.#share) / deviation > 4.5;
    if (!isWorse || second < this.#quietUntil) return false;
    this.#quietUntil = second + 60;
    return true;
  }
}

/** How many come by chance where so many come on average; at most some hundreds. */
export function poisson(mean: number, random: () => number): number {
  const limit = Math.exp(-mean);
  let product = random();
  let count = 0;
  while (product > limit) {
    count += 1;
    product *= random();
  }
  return count;
}
