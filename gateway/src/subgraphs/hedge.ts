import { whenAborted, DeadlineSignal, timeLeftMs } from '../abort/deadline-signal.ts';

/** One of several attempts at the same thing. The signal aborts it when another has a response or the caller has aborted. */
export type Attempt<T> = (signal: AbortSignal) => Promise<T>;

/** Settings of {@link hedge}. */
export interface HedgeOptions<T> {
  readonly first: Attempt<T>;
  /** Made when there is no response yet after `afterMs`. */
  readonly second: Attempt<T>;
  readonly afterMs: number;
  /** Asked right before the second attempt, which is not made on `false`. */
  readonly mayRetry: () => boolean;
  /** Ends both. */
  readonly signal: AbortSignal;
}

/**
 * Makes an attempt, and a second one if the first takes long: whichever answers first counts, and the other is ended. A
 * failure counts only when no other attempt is under way.
 *
 * @throws what the last attempt to fail throws; the signal's reason when it is aborted
 */
export async function hedge<T>(options: HedgeOptions<T>): Promise<T> {
  const { signal, first, second, afterMs, mayRetry } = options;
  const ofBoth = new DeadlineSignal(timeLeftMs(signal));
  const stopWatching = whenAborted(signal, () => ofBoth.abort(signal.reason));
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      let underWay = 1;
      const settleLast = (error: unknown): void => {
        underWay -= 1;
        if (underWay === 0) reject(error);
      };
      timer = setTimeout(() => {
        if (underWay === 0 || !mayRetry()) return;
        underWay += 1;
        second(ofBoth).then(resolve, settleLast);
      }, afterMs);
      first(ofBoth).then(resolve, settleLast);
    });
  } finally {
    clearTimeout(timer);
    stopWatching();
    ofBoth.abort(OTHER_WAS_FASTER);
  }
}

const OTHER_WAS_FASTER = new Error('Another attempt was faster.');
