import { RegistryError, type VerifiedHead } from '@trellis/registry';
import { growingPauseMs } from '@trellis/runtime/growing-pause';
import { InvalidSupergraph } from '../supergraph/build-supergraph.ts';

/** Before the third try of a head whose texts could not be read, and each further one. The second is made at the next look. */
const RETRY = { firstMs: 2_000, longestMs: 300_000 };

/** The head that could not be served last. */
interface Rejected {
  readonly hash: string;
  readonly error: unknown;
  /** How often it could not be served. */
  readonly failures: number;
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
      this.#rejected = rejectedNow(hash, error, before?.failures ?? 0);
      throw error;
    }
  }
}

function rejectedNow(hash: string, error: unknown, failuresBefore: number): Rejected {
  const pauseMs = failuresBefore === 0 ? 0 : growingPauseMs(failuresBefore - 1, RETRY);
  const lacksContract = error instanceof RegistryError && error.code === 'NO_CONTRACT';
  const isFinal = lacksContract || error instanceof InvalidSupergraph;
  return {
    hash,
    error,
    failures: failuresBefore + 1,
    retryAtMs: isFinal ? Number.POSITIVE_INFINITY : performance.now() + pauseMs,
  };
}
