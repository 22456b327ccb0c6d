import { whenAborted } from './when-aborted.ts';

/**
 * Waits for a promise as long as someone wants it.
 *
 * @throws what it rejects with, or the signal's reason; the promise goes on for others
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopWatching = whenAborted(signal, () => reject(signal.reason as Error));
    promise.then(resolve, reject).finally(stopWatching);
  });
}
