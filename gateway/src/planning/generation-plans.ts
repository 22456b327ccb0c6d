import type { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { SegmentedCache } from '../caching/segmented-cache.ts';
import { untilAborted } from '../execution/until-aborted.ts';
import { DeadlineSignal } from '../traffic/deadline-signal.ts';
import type { OperationPlan } from './operation-plan.ts';

/** Makes a plan; the signal says that nobody waits for it any more. */
export type MakePlan = (signal: AbortSignal) => Promise<WeighedPlan>;

/** A plan and what it takes up. */
export interface WeighedPlan {
  readonly plan: OperationPlan;
  /** Selections of the operation, written out. */
  readonly selections: number;
}

/** Bounds of {@link GenerationPlans}. */
export interface GenerationPlansOptions {
  readonly maxPlans: number;
  /** Selections of all plans together. */
  readonly maxSelections: number;
}

/** What is being made, and how many wait for it. */
interface Underway {
  readonly promise: Promise<OperationPlan>;
  readonly abandoned: DeadlineSignal;
  waiting: number;
}

/** How many operations are remembered that took too long to plan, and for how long. */
const MAX_REFUSALS = 1_000;
const REFUSAL_MS = 10 * 60_000;
/** What a plan weighs beside its selections. */
const PLAN_WEIGHT = 10;

/**
 * The plans of one generation of the supergraph, each made once however many ask for it. When the generation no longer
 * serves, and the last of what was begun is made, it is released.
 */
export class GenerationPlans {
  readonly #plans: SegmentedCache<WeighedPlan>;
  readonly #refusals = new LRUCache<string, GraphQLError>({ max: MAX_REFUSALS, ttl: REFUSAL_MS });
  readonly #underway = new Map<string, Underway>();
  readonly #release: () => void;
  #isRetired = false;
  #isReleased = false;

  /** @param release called once, when the generation is retired and nothing is being made any more */
  constructor({ maxPlans, maxSelections }: GenerationPlansOptions, release: () => void) {
    this.#release = release;
    this.#plans = new SegmentedCache({
      maxEntries: maxPlans,
      maxWeight: maxSelections + maxPlans * PLAN_WEIGHT,
      weigh: ({ selections }) => selections + PLAN_WEIGHT,
    });
  }

  /** @throws GraphQLError what making it threw a short while ago, when that is to be remembered */
  known(key: string): OperationPlan | undefined {
    const known = this.#plans.get(key);
    if (known) return known.plan;
    const refusal = this.#refusals.get(key);
    if (refusal) throw refusal;
    return undefined;
  }

  /** Whether a plan is just being made. */
  isUnderway(key: string): boolean {
    return this.#underway.has(key);
  }

  /** Waits for a plan that is underway, or makes it. @throws the signal's reason; it is still made for others */
  async make(key: string, makePlan: MakePlan, signal: AbortSignal): Promise<OperationPlan> {
    signal.throwIfAborted();
    const underway = this.#underway.get(key) ?? this.#begin(key, makePlan);
    underway.waiting += 1;
    try {
      return await untilAborted(underway.promise, signal);
    } finally {
      underway.waiting -= 1;
      const isAbandoned = underway.waiting === 0 && this.#underway.get(key) === underway;
      if (isAbandoned) underway.abandoned.abort(new Error('Nobody waits for the plan.'));
    }
  }

  /** Refuses an operation for a while, without trying. */
  refuse(key: string, refusal: GraphQLError): void {
    this.#refusals.set(key, refusal);
  }

  /** The generation no longer serves. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    if (this.#underway.size === 0) this.#letGo();
  }

  #begin(key: string, makePlan: MakePlan): Underway {
    const abandoned = new DeadlineSignal();
    const promise = makePlan(abandoned).then((made) => {
      this.#plans.set(key, made);
      return made.plan;
    });
    const underway = { promise, abandoned, waiting: 0 };
    this.#underway.set(key, underway);
    const end = (): void => this.#end(key);
    promise.then(end, end);
    return underway;
  }

  #end(key: string): void {
    this.#underway.delete(key);
    if (this.#isRetired && !this.#isReleased && this.#underway.size === 0) this.#letGo();
  }

  #letGo(): void {
    this.#isReleased = true;
    this.#release();
  }
}
