import { GraphQLError } from 'graphql';
import { untilAborted, DeadlineSignal } from '../abort/deadline-signal.ts';
import { JobAudience, type PlannerCaller } from './threads/job-audience.ts';
import { PlannerShareSpent } from './threads/planner-rejections.ts';

/** What is being made, and how many wait for it. */
interface Underway<Result> {
  readonly promise: Promise<Result>;
  readonly abandoned: DeadlineSignal;
  readonly audience: JobAudience;
  waiting: number;
}

/** Work of query planner workers that is done once, however many ask for the same meanwhile. */
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

  /** Waits for what is underway, or begins it. @throws the signal's reason; it is still made for others */
  async join(
    key: string,
    make: (audience: JobAudience) => Promise<Result>,
    caller: PlannerCaller,
    signal: AbortSignal,
  ): Promise<Result> {
    signal.throwIfAborted();
    const joined = this.#underway.get(key);
    joined?.audience.join(caller);
    const underway = joined ?? this.#begin(key, make, caller);
    try {
      return await this.#wait(key, underway, signal);
    } catch (error) {
      // The one who began it had no share left; that says nothing of this caller.
      if (joined && isShareSpent(error)) return this.join(key, make, caller, signal);
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
    make: (audience: JobAudience) => Promise<Result>,
    caller: PlannerCaller,
  ): Underway<Result> {
    const abandoned = new DeadlineSignal();
    const audience = new JobAudience(abandoned, caller);
    const promise = make(audience);
    const underway = { promise, abandoned, audience, waiting: 0 };
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
