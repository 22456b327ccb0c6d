/** Lets one part of a process sleep until another has something for it. */
export interface WakeUp {
  /** Ends the sleep, or the next one when no one sleeps. */
  poke(): void;
  /** Sleeps for at most `maxMs` milliseconds, or until poked or aborted. */
  sleep(maxMs: number, signal: AbortSignal): Promise<void>;
}

/** Makes a wake-up for one sleeper. */
export function createWakeUp(): WakeUp {
  let poked = false;
  let wake: (() => void) | undefined;
  return {
    poke: () => {
      poked = true;
      wake?.();
    },
    sleep: async (maxMs, signal) => {
      if (!poked && !signal.aborted) {
        await sleepUntil(maxMs, signal, (resolve) => {
          wake = resolve;
        });
      }
      poked = false;
      wake = undefined;
    },
  };
}

/** Leaves neither a timer nor a listener behind, whatever ends the sleep. */
function sleepUntil(maxMs: number, signal: AbortSignal, onSleep: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, maxMs);
    signal.addEventListener('abort', end);
    onSleep(end);
  });
}

/** Sleeps for a while, or until aborted. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return createWakeUp().sleep(milliseconds, signal);
}
