import type { QueueCaller } from '@trellis/runtime/admission';

/** A caller of query planner workers. */
export interface PlannerCaller extends QueueCaller {
  /** Called with the milliseconds that a thread has worked for this caller. */
  readonly onSpent?: ((durationMs: number) => void) | undefined;
}

/** The gateway itself: its jobs count in no share of a caller. */
export const GATEWAY_ITSELF: PlannerCaller = Object.freeze({
  keys: ['gateway'] as const,
  isKnown: true,
});

/**
 * The callers that wait for one job. Each of them brings a place in the queue along: else a caller with much waiting could delay
 * what others want as well by asking for it first.
 */
export class JobWaiters {
  /** Aborted when all callers have aborted. */
  readonly signal: AbortSignal;
  readonly #callers = new Map<string, PlannerCaller>();
  readonly #listeners = new Set<(caller: PlannerCaller) => void>();

  constructor(signal: AbortSignal, first: PlannerCaller = GATEWAY_ITSELF) {
    this.signal = signal;
    this.#callers.set(first.keys[0], first);
  }

  /** All that wait, the first one first. */
  get callers(): readonly PlannerCaller[] {
    return [...this.#callers.values()];
  }

  /** Adds a caller, once. */
  add(caller: PlannerCaller): void {
    if (this.#callers.has(caller.keys[0])) return;
    this.#callers.set(caller.keys[0], caller);
    for (const listener of this.#listeners) listener(caller);
  }

  /** @returns ends it */
  onAdded(listener: (caller: PlannerCaller) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
