import { setTimeout as delay } from 'node:timers/promises';
import { growingPauseMs } from '@trellis/runtime/growing-pause';
import type { GuardedProcess, ProcessExit } from './guarded-process.ts';

/** Settings of {@link keepRunning}. */
export interface KeepRunningOptions {
  /** Starts the process and resolves when it serves. */
  readonly start: () => Promise<GuardedProcess>;
  /** Called when it ended although no one asked it to. */
  readonly onExit?: (exit: ProcessExit) => void;
  /** Called when it serves again. */
  readonly onRestart?: () => void;
  /** Called when it could not be started again; another attempt follows. */
  readonly onFailedRestart?: (error: unknown) => void;
}

/** A process that is started again whenever it ends. */
export interface RunningProcess {
  /** Ends it for good. Resolves when it is gone. Safe to call twice. */
  stop(): Promise<void>;
}

const RESTART = { firstMs: 100, longestMs: 5_000 };
/** A process that served this long is not in a loop of crashes: its next restart is prompt again. */
const STABLE_MS = 30_000;

/**
 * Starts a process and, whenever it ends by itself, starts it again: at once at first, then after pauses that double
 * up to 5 s.
 *
 * @throws what `start` throws the first time
 */
export async function keepRunning(options: KeepRunningOptions): Promise<RunningProcess> {
  const stopping = new AbortController();
  let current = await options.start();

  async function watch(): Promise<void> {
    let restarts = 0;
    while (true) {
      const startedAt = Date.now();
      const exit = await current.exited;
      if (stopping.signal.aborted) return;
      options.onExit?.(exit);
      if (Date.now() - startedAt > STABLE_MS) restarts = 0;
      restarts = await startAgain(restarts);
      if (stopping.signal.aborted) return current.stop();
      options.onRestart?.();
    }
  }

  /** Tries until it serves or is stopped. @returns how often it was tried, with the times before */
  async function startAgain(before: number): Promise<number> {
    let restarts = before;
    while (!stopping.signal.aborted) {
      const pauseMs = growingPauseMs(restarts, RESTART);
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      restarts += 1;
      if (stopping.signal.aborted || (await startOnce())) break;
    }
    return restarts;
  }

  async function startOnce(): Promise<boolean> {
    try {
      current = await options.start();
      return true;
    } catch (error) {
      options.onFailedRestart?.(error);
      return false;
    }
  }

  const watched = watch();
  return {
    stop: async () => {
      stopping.abort();
      await current.stop();
      await watched;
    },
  };
}
