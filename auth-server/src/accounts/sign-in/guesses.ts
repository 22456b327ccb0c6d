import type { AttemptLimit, AttemptStore } from '../../attempts/attempt-store.ts';

/** Keeps guessing of something slow. */
export interface Guesses {
  /** Counts a guess as wrong in advance. @returns 0 when it may be made, else the seconds to wait */
  reserve(guesser: string): Promise<number>;
  /** Takes it back: it was right. */
  refund(guesser: string): Promise<void>;
}

/** A limit per guesser. @param what is guessed */
export function createGuesses(attempts: AttemptStore, what: string, limit: AttemptLimit): Guesses {
  return {
    reserve: (guesser) => attempts.reserve(`${what}:${guesser}`, limit),
    refund: (guesser) => attempts.refund(`${what}:${guesser}`),
  };
}
