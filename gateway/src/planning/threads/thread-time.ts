import { openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Reads milliseconds from a monotonic clock. */
export type ThreadClock = () => number;

/** A thread as the operating system knows it. */
export interface SystemThread {
  /** What the operating system calls it, so that others can ask for its time; absent where they can't. */
  readonly id: number | undefined;
  /** The processor time of the thread; where that is not available, the time of day. */
  readonly clock: ThreadClock;
}

/** Longer than the three numbers of a `schedstat` are. */
const RECORD_BYTES = 128;
const BLANK = 0x20;
/** The highest niceness there is. */
const LEAST_PRIORITY = 19;

/**
 * The thread that calls this. Linux reports its processor time as exactly as its scheduler counts: to some milliseconds, and
 * right on average.
 */
export function thisThread(): SystemThread {
  const id = systemIdOfThisThread();
  return id === undefined ? { id, clock: () => performance.now() } : { id, clock: openClock(fileOf(id)) };
}

/** @returns milliseconds of processor time that a thread of this process has had; nothing where there is no saying */
export function processorTimeOf(id: number | undefined): number | undefined {
  if (id === undefined) return undefined;
  try {
    const ns = Number.parseInt(readFileSync(fileOf(id), 'latin1'), 10);
    return ns > 0 ? ns / 1e6 : undefined;
  } catch {
    return undefined; // it has ended
  }
}

/**
 * Lets all other threads come before the one that calls this, where they compete for a processor. Only Linux has priorities
 * of threads: elsewhere it would be the whole process.
 *
 * @param nice is added to the niceness of the process: the more, the less it gets
 */
export function stepBack(nice: number): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(LEAST_PRIORITY, getPriority() + nice));
  } catch {
    // a sandbox that forbids it: then it competes like any other
  }
}

function systemIdOfThisThread(): number | undefined {
  try {
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return processorTimeOf(id) === undefined ? undefined : id;
  } catch {
    return undefined;
  }
}

/** The file stays open: opening it takes ten times as long as reading it. */
function openClock(path: string): ThreadClock {
  const file = openSync(path, 'r');
  const record = Buffer.alloc(RECORD_BYTES);
  return () => {
    readSync(file, record, 0, RECORD_BYTES, 0);
    return Number(record.toString('latin1', 0, record.indexOf(BLANK))) / 1e6;
  };
}

function fileOf(id: number): string {
  return `/proc/self/task/${id}/schedstat`;
}
