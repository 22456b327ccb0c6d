import { readdirSync, readFileSync } from 'node:fs';

/** Processor time that each thread of a process has had so far, by its id, in milliseconds; the main thread has the id of the process. */
export type ThreadTimes = ReadonlyMap<number, number>;

/** What a process has spent. */
export interface SpentTime {
  /** Of all threads, milliseconds. */
  readonly totalMs: number;
  /** Of the main thread, where the event loop is. */
  readonly mainMs: number;
}

/** As the scheduler counts, which is to the nanosecond: `/proc/…/stat` counts in hundredths of a second. Linux only. */
export function threadTimesOf(pid: number): ThreadTimes {
  const times = new Map<number, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const ms = timeOf(pid, thread);
    if (ms !== undefined) times.set(Number(thread), ms);
  }
  return times;
}

/**
 * What threads have spent between two readings. One that has begun in between counts whole; what one that has ended spent in
 * between is lost, and is not taken for less than nothing.
 */
export function spentBetween(pid: number, before: ThreadTimes, after: ThreadTimes): SpentTime {
  const spent = [...after].map(([thread, ms]) => ({ thread, ms: ms - (before.get(thread) ?? 0) }));
  return {
    totalMs: spent.reduce((sum, { ms }) => sum + ms, 0),
    mainMs: spent.find(({ thread }) => thread === pid)?.ms ?? 0,
  };
}

function timeOf(pid: number, thread: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1'), 10) / 1e6;
  } catch {
    return undefined; // it has just ended
  }
}
