import type { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { GATEWAY_ITSELF, type JobAudience, type PlannerCaller } from './threads/job-audience.ts';
import { S3FifoCache } from '../caching/s3-fifo-cache.ts';
import { PlannerResults } from './planner-results.ts';
import { JoinedWork } from './joined-work.ts';
import type { Plan } from '../plan/plan.ts';

/** Makes a plan for those who wait for it. */
export type MakePlan = (audience: JobAudience) => Promise<WeighedPlan>;

/** A plan and what it takes up. */
export interface WeighedPlan {
  readonly plan: Plan;
  /** An estimate, with what is compiled of it while it runs. */
  readonly bytes: number;
}

/** Bounds of {@link GenerationPlans}. */
export interface GenerationPlansOptions {
  readonly maxPlans: number;
  /** Of all plans together. */
  readonly maxBytes: number;
  /** Of those that were asked for once. */
  readonly maxNewBytes: number;
}

/** How many operations are remembered that took too long to plan, and for how long. */
const MAX_REJECTIONS = 1_000;
const REJECTION_MS = 10 * 60_000;

/**
 * The plans of one generation of the supergraph, each made once however many ask for it. When the generation no longer
 * serves, and the last of what was begun is made, it is released.
 */
export class GenerationPlans {
  readonly #plans: S3FifoCache<WeighedPlan>;
  /** What planner threads have answered, for longer than the plans that were made of it. */
  readonly results: PlannerResults = new PlannerResults();
  readonly #rejections = new LRUCache<string, GraphQLError>({ max: MAX_REJECTIONS, ttl: REJECTION_MS });
  readonly #underway = new JoinedWork<Plan>(() => this.#settled());
  readonly #release: () => void;
  #isRetired = false;
  #isReleased = false;

  /** @param release called once, when the generation is retired and nothing is being made any more */
  constructor({ maxPlans, maxBytes, maxNewBytes }: GenerationPlansOptions, release: () => void) {
    this.#release = release;
    this.#plans = new S3FifoCache({
      maxEntries: maxPlans,
      maxWeight: maxBytes,
      maxNewWeight: maxNewBytes,
      weigh: ({ bytes }) => bytes,
    });
  }

  /** @throws GraphQLError what making it threw a short while ago, when that is to be remembered */
  known(key: string): Plan | undefined {
    const known = this.#plans.get(key);
    if (known) return known.plan;
    const rejection = this.#rejections.get(key);
    if (rejection) throw rejection;
    return undefined;
  }

  /** Whether a plan is just being made. */
  isUnderway(key: string): boolean {
    return this.#underway.has(key);
  }

  /** Waits for a plan that is underway, or makes it. @throws the signal's reason; it is still made for others */
  make(key: string, makePlan: MakePlan, caller: PlannerCaller, signal: AbortSignal): Promise<Plan> {
    const make = async (audience: JobAudience): Promise<Plan> => {
      const made = await makePlan(audience);
      // What the gateway has prepared by itself was asked for before, or is listed.
      if (caller === GATEWAY_ITSELF) this.#plans.setProven(key, made);
      else this.#plans.set(key, made, caller.keys);
      return made.plan;
    };
    return this.#underway.join(key, make, caller, signal);
  }

  /** Rejects an operation for a while, without trying. */
  reject(key: string, rejection: GraphQLError): void {
    this.#rejections.set(key, rejection);
  }

  /** The generation no longer serves. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    if (this.#underway.isIdle) this.#letGo();
  }

  #settled(): void {
    if (this.#isRetired && !this.#isReleased) this.#letGo();
  }

  #letGo(): void {
    this.#isReleased = true;
    this.#release();
  }
}
