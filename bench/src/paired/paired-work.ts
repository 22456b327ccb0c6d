import type { TargetProcess } from '../target-process.ts';
import type { Turn, TurnPair } from './compare-turns.ts';
import { spentBetween, threadTimesOf, type SpentTime } from './thread-times.ts';

/** One of both servers, and what is done with it. */
export interface PairedSide {
  readonly target: Pick<TargetProcess, 'pid'>;
  /** Before each turn, not counted. */
  readonly begin?: () => Promise<void>;
  /** After each turn, not counted. */
  readonly end?: () => void;
  /** Before each round, not counted. */
  readonly prepare?: () => Promise<void>;
  /**
   * Does the work once.
   *
   * @param round counted from 0 for each side: the same for both
   * @returns how many units it was
   */
  readonly perform: (round: number) => Promise<number>;
}

/** Work that both servers do in turns. */
export interface PairedWork {
  readonly name: string;
  /** What the figures are of: a request, a delivery. */
  readonly unit: string;
  readonly before: PairedSide;
  readonly now: PairedSide;
}

/** What was measured of it. */
export interface WorkPairs extends Pick<PairedWork, 'name' | 'unit'> {
  readonly pairs: readonly TurnPair[];
}

/** How long both are measured. */
export interface PairedLength {
  /** Turns of each. */
  readonly pairs: number;
  /** Processor time that each has before it is measured: code that is not compiled yet is not what is compared. */
  readonly warmUpCpuMs: number;
  /** Processor time that a turn is to take at least: work is repeated for that, as often for both. */
  readonly turnCpuMs: number;
}

/** Has both do the work in turns: before, now, now, before, and so on. What else the machine does then meets both alike. */
export async function takePairs(work: PairedWork, length: PairedLength): Promise<TurnPair[]> {
  const { before, now } = work;
  const warm = [await warmUp(before, length.warmUpCpuMs), await warmUp(now, length.warmUpCpuMs)];
  const firstRound = Math.max(...warm.map(({ rounds }) => rounds));
  const repeats = Math.max(1, Math.ceil(length.turnCpuMs / Math.max(...warm.map(({ lastMs }) => lastMs))));
  const pairs: TurnPair[] = [];
  for (let pair = 0; pair < length.pairs; pair += 1) {
    const rounds = Array.from({ length: repeats }, (_, index) => firstRound + pair * repeats + index);
    pairs.push(await takeTurns(work, rounds, pair % 2 === 0));
  }
  return pairs;
}

async function takeTurns(
  { before, now }: PairedWork,
  rounds: readonly number[],
  isBeforeFirst: boolean,
): Promise<TurnPair> {
  if (isBeforeFirst) return { before: await takeTurn(before, rounds), now: await takeTurn(now, rounds) };
  const second = await takeTurn(now, rounds);
  return { before: await takeTurn(before, rounds), now: second };
}

async function takeTurn(side: PairedSide, rounds: readonly number[]): Promise<Turn> {
  await side.begin?.();
  try {
    const { units, spent } = await spend(side, rounds);
    return { totalMs: spent.totalMs / units, mainMs: spent.mainMs / units };
  } finally {
    side.end?.();
  }
}

async function spend(
  { target, prepare, perform }: PairedSide,
  rounds: readonly number[],
): Promise<{ readonly units: number; readonly spent: SpentTime }> {
  let [units, totalMs, mainMs] = [0, 0, 0];
  for (const round of rounds) {
    await prepare?.();
    const before = threadTimesOf(target.pid);
    units += await perform(round);
    const spent = spentBetween(target.pid, before, threadTimesOf(target.pid));
    totalMs += spent.totalMs;
    mainMs += spent.mainMs;
  }
  return { units, spent: { totalMs, mainMs } };
}

/**
 * However long a round takes: caches that resist scans let a value in when it comes for the second time, and on a slow machine the first
 * round of a thousand operations is as long as a warm-up.
 */
const MIN_WARM_UP_ROUNDS = 3;

/** @returns how many rounds that took, and the processor time of the last one */
async function warmUp(
  side: PairedSide,
  cpuMs: number,
): Promise<{ readonly rounds: number; readonly lastMs: number }> {
  await side.begin?.();
  try {
    let spentMs = 0;
    for (let round = 0; ; round += 1) {
      const { totalMs } = (await spend(side, [round])).spent;
      spentMs += totalMs;
      if (round >= MIN_WARM_UP_ROUNDS - 1 && spentMs >= cpuMs) return { rounds: round + 1, lastMs: totalMs };
    }
  } finally {
    side.end?.();
  }
}
