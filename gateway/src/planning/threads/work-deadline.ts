import { PlannerOverstrained, PlannerStarved } from './planner-rejections.ts';
import { processorTimeOf } from './thread-time.ts';

/** Work of a query planner worker, which may take so long and no longer. */
export interface TimedWork {
  /** Milliseconds of the thread's processor time. Where that is not available, of the time of day. */
  readonly limitMs: number;
  /** Milliseconds of the time of day, whatever the thread has worked meanwhile. More than `limitMs`. */
  readonly maxWaitMs: number;
  /** The thread in the operating system, where it is known. */
  readonly systemThread: number | undefined;
  /** Milliseconds of processor time that the thread had had when the work was given to it. */
  readonly clockMs: number;
  /** Called once, when the time is over. */
  readonly onOver: (reason: PlannerOverstrained | PlannerStarved) => void;
}

/**
 * Measures what a thread has worked and not how long it took: on a processor that others use, an operation is not rejected
 * for what these do.
 *
 * @returns ends it
 */
export function startDeadline({ limitMs, maxWaitMs, systemThread, clockMs, onOver }: TimedWork): () => void {
  const startedAtMs = performance.now();
  let timer = setTimeout(look, limitMs);
  return () => clearTimeout(timer);

  function look(): void {
    const passedMs = performance.now() - startedAtMs;
    const processorMs = processorTimeOf(systemThread);
    const workedMs = processorMs === undefined ? passedMs : processorMs - clockMs;
    // timers may be early by a fraction of a millisecond
    if (Math.ceil(workedMs) >= limitMs)
      onOver(new PlannerOverstrained('planningMs', limitMs, Math.ceil(workedMs)));
    else if (passedMs >= maxWaitMs) onOver(new PlannerStarved(maxWaitMs, workedMs));
    else timer = setTimeout(look, Math.max(1, Math.min(limitMs - workedMs, maxWaitMs - passedMs)));
  }
}
