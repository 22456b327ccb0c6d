import { setTimeout as delay } from 'node:timers/promises';
import type { LogName, RegistryStore } from '@trellis/registry';

/** Which log is looked at, and how often. */
export interface PauseOptions {
  readonly store: RegistryStore;
  readonly log: LogName;
  /** Milliseconds between two looks, 20 % more or less by chance. */
  readonly pollMs: () => number;
}

/** Milliseconds for which a registry that can wait for a record is asked to. */
const LONG_POLL_MS = 55_000;

/** The pauses between two looks at a registry: one that can wait for a record ends them. */
export class LookPauses {
  readonly #options: PauseOptions;
  /** The highest sequence that the registry said it has. */
  #announced = 0;
  #current = new AbortController();

  constructor(options: PauseOptions) {
    this.#options = options;
  }

  /**
   * Resolves when another look is worthwhile, the pause is ended, or the signal aborts.
   *
   * @param after sequence of the record that serves
   * @param isFailing a registry that fails is asked at intervals, whether it can be waited for or not
   */
  async wait(after: number, isFailing: boolean, closing: AbortSignal): Promise<void> {
    this.#current = new AbortController();
    const signal = AbortSignal.any([closing, this.#current.signal]);
    const { store, log, pollMs } = this.#options;
    const pauseMs = pollMs() * (0.8 + 0.4 * Math.random()); // gateways that start together do not ask together for ever
    if (store.waitForRecord && !isFailing) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LONG_POLL_MS)]);
      const head = await store.waitForRecord(log, after, limit).catch(() => 0);
      // Looked for at once, but once: what says so may be ahead of what is read.
      if (head > Math.max(after, this.#announced)) {
        this.#announced = head;
        return;
      }
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }

  /** Ends the one that runs. */
  end(): void {
    this.#current.abort();
  }
}
