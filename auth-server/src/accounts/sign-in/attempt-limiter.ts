import type { AttemptLimit, AttemptStore } from '../../attempts/attempt-store.ts';

/** Bounds how often one may guess something. */
export interface AttemptLimiter {
  /** Counts an attempt as failed in advance. @returns 0 when it may be made, else the seconds to wait */
  reserve(caller: string): Promise<number>;
  /** Takes it back: it was right. */
  refund(caller: string): Promise<void>;
}

/** Limits the attempts of each caller. @param what is guessed */
export function createAttemptLimiter(
  attempts: AttemptStore,
  what: string,
  limit: AttemptLimit,
): AttemptLimiter {
  return {
    reserve: (caller) => attempts.reserve(`${what}:${caller}`, limit),
    refund: (caller) => attempts.refund(`${what}:${caller}`),
  };
}
