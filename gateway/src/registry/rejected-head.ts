import { RegistryError, type VerifiedHead } from '@trellis/registry';
import { InvalidSupergraph } from '../supergraph/build-supergraph.ts';

/** Milliseconds before the third try of a head whose texts could not be read; doubled with each. The second is made at the next look. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 300_000;

/** The head that could not be served last. */
interface Rejected {
  readonly hash: string;
  readonly error: unknown;
  readonly pauseMs: number;
  readonly retryAtMs: number;
}

/**
 * Remembers the head of a log that can't be served: looks go on every few seconds, and building a supergraph takes seconds of a
 * processor. What is invalid stays so; a text that is missing may be restored.
 */
export class RejectedHead {
  #rejected: Rejected | undefined;

  /**
   * Serves a head, unless it was just rejected.
   *
   * @throws what serving throws; for a head that is not tried again yet, what it threw before
   */
  async unless({ hash }: Pick<VerifiedHead, 'hash'>, serve: () => Promise<void>): Promise<void> {
    const before = this.#rejected?.hash === hash ? this.#rejected : undefined;
    if (before && performance.now() < before.retryAtMs) throw before.error;
    try {
      await serve();
      this.#rejected = undefined;
    } catch (error) {
      this.#rejected = rejectedNow(hash, error, before?.pauseMs);
      throw error;
    }
  }
}

function rejectedNow(hash: string, error: unknown, lastPauseMs: number | undefined): Rejected {
  const doubled = Math.min(2 * (lastPauseMs ?? 0) || FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  const pauseMs = lastPauseMs === undefined ? 0 : doubled;
  const lacksContract = error instanceof RegistryError && error.code === 'NO_CONTRACT';
  const isFinal = lacksContract || error instanceof InvalidSupergraph;
  return {
    hash,
    error,
    pauseMs,
    retryAtMs: isFinal ? Number.POSITIVE_INFINITY : performance.now() + pauseMs,
  };
}
