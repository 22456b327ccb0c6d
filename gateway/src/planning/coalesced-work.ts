import { GraphQLError } from 'graphql';
import { untilAborted, DeadlineSignal } from '../abort/deadline-signal.ts';
import { JobWaiters, type PlannerCaller } from './threads/job-waiters.ts';
import { PlannerShareSpent } from './threads/planner-rejections.ts';

/** What is being made, and how many callers wait for it. */
interface Underway<Result> {
  readonly promise: Promise<Result>;
  readonly abandoned: DeadlineSignal;
  readonly waiters: JobWaiters;
  waiting: number;
}

/** Work of query planner workers that is done once, and coalesced while it is underway. */
export class CoalescedWork<Result> {
  readonly #underway = new Map<string, Underway<Result>>();
  readonly #onIdle: () => void;

  /** @param onIdle called whenever nothing is being made any more */
  constructor(onIdle: () => void = () => undefined) {
    this.#onIdle = onIdle;
  }

  /** Whether nothing is being made. */
  get isIdle(): boolean {
    return this.#underway.size === 0;
  }

  /** Whether it is just being made. */
  has(key: string): boolean {
    return this.#underway.has(key);
  }

  /** Coalesces with what is underway, or begins it. @throws the signal's reason; it is still made for others */
  async run(
    key: string,
    make: (waiters: JobWaiters) => Promise<Result>,
    caller: PlannerCaller,
    signal: AbortSignal,
  ): Promise<Result> {
    signal.throwIfAborted();
    const coalesced = this.#underway.get(key);
    coalesced?.waiters.add(caller);
    const underway = coalesced ?? this.#begin(key, make, caller);
    try {
      return await this.#wait(key, underway, signal);
    } catch (error) {
      // The caller that began it had no share left; this one may have one.
      if (coalesced && isShareSpent(error)) return this.run(key, make, caller, signal);
      throw error;
    }
  }

  async #wait(key: string, underway: Underway<Result>, signal: AbortSignal): Promise<Result> {
    underway.waiting += 1;
    try {
      return await untilAborted(underway.promise, signal);
    } finally {
      underway.waiting -= 1;
      const isAbandoned = underway.waiting === 0 && this.#underway.get(key) === underway;
      if (isAbandoned) underway.abandoned.abort(new Error('All callers have aborted.'));
    }
  }

  #begin(
    key: string,
    make: (waiters: JobWaiters) => Promise<Result>,
    caller: PlannerCaller,
  ): Underway<Result> {
    const abandoned = new DeadlineSignal();
    const waiters = new JobWaiters(abandoned, caller);
    const promise = make(waiters);
    const underway = { promise, abandoned, waiters, waiting: 0 };
    this.#underway.set(key, underway);
    const end = (): void => {
      this.#underway.delete(key);
      if (this.isIdle) this.#onIdle();
    };
    promise.then(end, end);
    return underway;
  }
}

function isShareSpent(error: unknown): boolean {
  return error instanceof GraphQLError && error.originalError instanceof PlannerShareSpent;
}
