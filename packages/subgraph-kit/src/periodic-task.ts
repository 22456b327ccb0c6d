import type { Logger } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { isTransientFailure, sleep, type Background } from '@trellis/events';

/** Work that is done again and again. */
export interface PeriodicTaskOptions {
  /** For the log. */
  readonly name: string;
  /** Milliseconds between the end of one time and the begin of the next. */
  readonly pauseMs: number;
  readonly work: () => Promise<void>;
  readonly logger: Logger;
}

/** Does the work until closed, beginning at once. A time that fails is logged, and the next one follows. */
export function startPeriodicTask(options: PeriodicTaskOptions): Background {
  const controller = new AbortController();
  const ended = repeat(options, controller.signal);
  return {
    close: () => {
      controller.abort();
      return ended;
    },
  };
}

async function repeat(
  { name, pauseMs, work, logger }: PeriodicTaskOptions,
  signal: AbortSignal,
): Promise<void> {
  const outages = createOutageLog({
    logger,
    failure: 'a periodic task failed',
    success: 'a periodic task works again',
    bindings: { task: name },
    isTransient: isTransientFailure,
  });
  while (!signal.aborted) {
    await work().then(outages.succeeded, outages.failed);
    await sleep(pauseMs, signal);
  }
}
