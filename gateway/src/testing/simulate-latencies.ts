import { createRandom } from '@trellis/testkit/random';
import { CallerComparison, type Side } from '../variants/compare-callers.ts';
import { EstablishedOperations } from '../variants/established-operations.ts';
import { OperationLatencies } from '../variants/operation-latencies.ts';
import { anyOperation, CALLERS, OPERATIONS, poisson } from './simulate-canary.ts';

/** What is simulated of response times. */
export interface Latencies {
  readonly hours: number;
  /** Seconds after which the next canary begins, for other callers. Absent: only after one was stopped. */
  readonly canaryS?: number;
  /** Of the callers on the canary's side. */
  readonly share: number;
  /** Of all callers together. */
  readonly requestsPerS: number;
  /** Accounts whose responses all take 20 times as long, one request in a second; others every half hour. */
  readonly slowAccounts: number;
  /** By which responses of the canary take longer. @default 1: no difference */
  readonly slowerBy?: number;
  readonly seed: number;
}

/** What was seen of them. */
export interface LatenciesResult {
  /** Canaries that were stopped. */
  readonly aborts: number;
  /** Slow responses, on both sides. Without any nothing would be shown. */
  readonly slow: number;
}

const SLOW_ACCOUNT_FACTOR = 20;
/** Every ten minutes all that responds takes ten times as long for five seconds. */
const BAD_MOMENT = { everyS: 600, forS: 5, factor: 10 };
const ACCOUNTS_CHANGE_S = 1_800;

/** Simulates seconds of traffic whose response times are heavy-tailed, judged as a trial judges them. */
export function simulateLatencies(setup: Latencies): LatenciesResult {
  const random = createRandom(setup.seed).next;
  let canary = beginCanary(setup, random);
  let accounts: readonly number[] = [];
  let [aborts, slow] = [0, 0];
  for (let second = 0; second < setup.hours * 3_600; second += 1) {
    if (second % ACCOUNTS_CHANGE_S === 0)
      accounts = Array.from({ length: setup.slowAccounts }, () => anyCaller(random));
    const factor = second % BAD_MOMENT.everyS < BAD_MOMENT.forS ? BAD_MOMENT.factor : 1;
    for (let left = poisson(setup.requestsPerS, random); left > 0; left -= 1)
      slow += respond(canary, anyCaller(random), factor, second, random);
    for (const caller of accounts)
      slow += respond(canary, caller, factor * SLOW_ACCOUNT_FACTOR, second, random);
    const isNext = (second + 1) % (setup.canaryS ?? Infinity) === 0;
    const { isWorse } = canary.comparison.judgeAt(second + 1);
    if (isWorse) aborts += 1;
    if (isWorse || isNext) canary = beginCanary(setup, random);
  }
  return { aborts, slow };
}

/** As a trial has them: each canary begins without knowing what is slow. */
interface SimulatedCanary {
  readonly sides: readonly Side[];
  readonly slowerBy: number;
  readonly latencies: OperationLatencies;
  readonly comparison: CallerComparison;
}

function beginCanary({ share, slowerBy = 1 }: Latencies, random: () => number): SimulatedCanary {
  const established = new EstablishedOperations();
  for (const operation of OPERATIONS.keys()) established.list(operation); // all are judged from the beginning
  return {
    sides: Array.from({ length: CALLERS }, (): Side => (random() < share ? 'canary' : 'main')),
    slowerBy,
    latencies: new OperationLatencies(),
    comparison: new CallerComparison({ share, established }), // slow responses have no early looks
  };
}

/** @returns 1 where it was slow, else 0 */
function respond(
  { sides, slowerBy, latencies, comparison }: SimulatedCanary,
  caller: number,
  factor: number,
  second: number,
  random: () => number,
): number {
  const operation = anyOperation(random);
  const side = sides[caller] ?? 'main';
  const durationMs = factor * (side === 'canary' ? slowerBy : 1) * heavyTailedMs(operation, random);
  if (!latencies.observe(NAMES[operation] ?? '', durationMs, side === 'main')) return 0;
  comparison.add(side, caller, second, operation);
  return 1;
}

const NAMES = OPERATIONS.map((_part, operation) => `operation ${operation}`);
/** Pareto: its variance is infinite. */
const TAIL = 1.5;

/** From 2 ms on for the first operation, and 1 ms more for each further one. */
function heavyTailedMs(operation: number, random: () => number): number {
  return (2 + operation) * (1 - random()) ** (-1 / TAIL);
}

function anyCaller(random: () => number): number {
  return Math.floor(random() * CALLERS);
}
