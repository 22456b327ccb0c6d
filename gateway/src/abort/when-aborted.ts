import { DeadlineSignal } from './deadline-signal.ts';

const watchers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal is aborted. The signal of a request has one listener however many calls are made for the request:
 * adding and removing listeners costs more than much of what a call does.
 *
 * @returns stops it
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  if (signal instanceof DeadlineSignal) return signal.watch(callback);
  const callbacks = callbacksOf(signal);
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
}

/** The listener stays as long as the signal does, and must know none of those who have ever watched it. */
function callbacksOf(signal: AbortSignal): Set<() => void> {
  const known = watchers.get(signal);
  if (known) return known;
  const callbacks = new Set<() => void>();
  watchers.set(signal, callbacks);
  const callAll = (): void => {
    for (const callback of callbacks) callback();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return callbacks;
}

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
