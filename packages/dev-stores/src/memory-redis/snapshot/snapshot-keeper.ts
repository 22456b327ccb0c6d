import { setTimeout as delay } from 'node:timers/promises';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { saveSnapshot, takeSnapshot, type ReportProblem } from './snapshot-file.ts';

/** Keeps a file in step with the keys. */
export interface SnapshotKeeper {
  /** Notifies that there is something to save. */
  noteChange(): void;
  /** Saves what is not saved yet, and ends. */
  close(): Promise<void>;
}

/** Settings of {@link keepSnapshot}. */
export interface SnapshotKeeperOptions {
  readonly file: string;
  readonly keyspace: Keyspace;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The shortest pause between two snapshots, in milliseconds. */
  readonly intervalMs: number;
  readonly reportProblem: ReportProblem;
}

/** Taking a snapshot stops the server for a moment: at most one twentieth of its time. */
const PAUSE_FACTOR = 20;

/** Saves the keys whenever they have changed, with pauses; a failure is reported, and tried again. */
export function keepSnapshot(options: SnapshotKeeperOptions): SnapshotKeeper {
  const { file, keyspace, clock, intervalMs, reportProblem } = options;
  const stop = new AbortController();
  let changed = false;

  const save = async (): Promise<number> => {
    const startedAt = performance.now();
    changed = false;
    keyspace.now = Math.floor(clock());
    const text = takeSnapshot(keyspace);
    const tookMs = performance.now() - startedAt;
    try {
      await saveSnapshot(file, text);
    } catch (error) {
      changed = true;
      reportProblem(
        `The snapshot ${file} can't be written: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    return tookMs;
  };

  const run = async (): Promise<void> => {
    let pauseMs = intervalMs;
    while (await pause(pauseMs, stop.signal))
      if (changed) pauseMs = Math.max(intervalMs, PAUSE_FACTOR * (await save()));
    if (changed) await save();
  };

  const running = run();
  return {
    noteChange: () => (changed = true),
    close: () => {
      stop.abort();
      return running;
    },
  };
}

/** @returns false when it was cut short by the signal */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(milliseconds, undefined, { signal, ref: false });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
