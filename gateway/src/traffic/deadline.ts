const deadlines = new WeakMap<AbortSignal, number>();

/**
 * Says when the time of a request is over. The signal goes wherever work is done for the request, so its deadline is
 * known there too.
 *
 * @param timeoutMs from now
 */
export function setDeadline(signal: AbortSignal, timeoutMs: number): void {
  deadlines.set(signal, performance.now() + timeoutMs);
}

/** The request has begun to be answered: what is still done for it is bounded by other means. */
export function clearDeadline(signal: AbortSignal): void {
  deadlines.delete(signal);
}

/** Milliseconds until the time of a request is over; `Infinity` for one whose time is not bounded. */
export function timeLeftMs(signal: AbortSignal): number {
  const deadline = deadlines.get(signal);
  return deadline === undefined ? Number.POSITIVE_INFINITY : Math.max(0, deadline - performance.now());
}
