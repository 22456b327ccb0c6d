const watchers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal is aborted. The signal of a request has one listener however many calls are made for the request:
 * adding and removing listeners costs more than much of what a call does.
 *
 * @returns stops it
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  let callbacks = watchers.get(signal);
  if (!callbacks) {
    callbacks = new Set();
    watchers.set(signal, callbacks);
    signal.addEventListener('abort', () => callAll(signal), { once: true });
  }
  const own = callbacks.add(callback);
  return () => void own.delete(callback);
}

function callAll(signal: AbortSignal): void {
  for (const callback of watchers.get(signal) ?? []) callback();
}
