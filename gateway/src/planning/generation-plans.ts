import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { GATEWAY_ITSELF, type JobWaiters, type PlannerCaller } from './threads/job-waiters.ts';
import { S3FifoCache } from '../caching/s3-fifo-cache.ts';
import { PlannerResults } from './planner-results.ts';
import { CoalescedWork } from './coalesced-work.ts';
import type { Plan } from '../plan/plan.ts';
import type { Caller } from '../identity/caller.ts';
import type { OperationPlanner } from './operation-planner.ts';
import type { Variables } from '../operation/document/decided-conditions.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { Operation } from '../operation/operation.ts';
import type { OperationCache } from '../operation/operation-cache.ts';

/** Makes a plan for those who wait for it. */
type MakePlan = (waiters: JobWaiters) => Promise<WeighedPlan>;

/** A plan and what it takes up. */
export interface WeighedPlan {
  readonly plan: Plan;
  /** An estimate, with what is compiled of it while it runs. */
  readonly bytes: number;
}

/** Bounds of {@link GenerationPlans}. */
interface GenerationPlansOptions {
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
  /** What query planner workers have answered, for longer than the plans that were made of it. */
  readonly results: PlannerResults = new PlannerResults();
  readonly #rejections = new LRUCache<string, GraphQLError>({ max: MAX_REJECTIONS, ttl: REJECTION_MS });
  readonly #underway = new CoalescedWork<Plan>(() => this.#settled());
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
    const make = async (waiters: JobWaiters): Promise<Plan> => {
      const made = await makePlan(waiters);
      // What the gateway has prepared by itself was asked for before, or is listed.
      if (caller === GATEWAY_ITSELF) this.#plans.setProven(key, made);
      else this.#plans.set(key, made, caller.keys);
      return made.plan;
    };
    return this.#underway.run(key, make, caller, signal);
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

/** An operation that has just been let in. */
interface UsedOperation {
  readonly text: string;
  readonly operation: Operation;
  readonly variables: Variables;
  readonly caller: Caller;
  /** Whether its response may come in parts. @default false */
  readonly incremental?: boolean;
}

/** What operations are prepared with. */
interface Preparation {
  readonly operationCacheOf: (supergraph: Supergraph) => OperationCache;
  readonly planner: OperationPlanner;
  /** Called for each operation that the new generation can't serve, or that could not be prepared. */
  readonly onFailure?: ((operation: string | undefined, reason: unknown) => void) | undefined;
  /** Milliseconds after which the rest is left: it is planned when it is sent again. @default 5000 */
  readonly deadlineMs?: number | undefined;
  /** Once it aborts, the rest is left. @default never */
  readonly signal?: AbortSignal | undefined;
}

/** The operations that clients use, so that a new generation of the graph begins with their plans. */
export interface KnownOperations {
  remember(used: UsedOperation): void;
  /**
   * Makes what a generation needs to serve the operations that were used last: documents, guards, plans. It gives way to
   * requests between one operation and the next, ends at its deadline, and never rejects: what is wrong with an operation
   * of the new generation is reported to its sender, and to `onFailure`.
   */
  prepare(next: Supergraph, preparation: Preparation): Promise<void>;
}

interface KnownOperation {
  readonly text: string;
  readonly name: string | undefined;
  /** The variables that conditions may depend on; plans depend on no others. */
  readonly conditions: Variables;
  /** What may be seen of the operation is part of its plan. */
  readonly caller: Caller;
  readonly incremental: boolean;
}

const MAX_OPERATIONS = 200;
/** Of the operations that come when there is no room, one in so many is let in, by chance: what is used often is among them soon. */
const LET_IN_OF = 8;
/** Characters. Longer texts are not remembered: they are planned when they are sent again. */
const MAX_TEXT_LENGTH = 16_384;
const PREPARE_DEADLINE_MS = 5_000;

/**
 * Remembers 200 operations whose texts are of common length; what is not used again makes room first. Where clients use more of
 * them in turns, most of their requests would let one in and another out, and are spared that.
 */
export function createKnownOperations(): KnownOperations {
  const known = new S3FifoCache<KnownOperation>({ maxEntries: MAX_OPERATIONS });
  const isLeftOut = (): boolean => known.size >= MAX_OPERATIONS && Math.random() * LET_IN_OF >= 1;
  return {
    remember({ text, operation, variables, caller, incremental = false }) {
      if (text.length > MAX_TEXT_LENGTH) return;
      const { key } = operation;
      if (known.get(key) || isLeftOut()) return;
      known.set(key, {
        text,
        name: operation.name,
        conditions: conditionsOf(variables),
        caller,
        incremental,
      });
    },
    async prepare(next, preparation) {
      const deadline = AbortSignal.timeout(preparation.deadlineMs ?? PREPARE_DEADLINE_MS);
      const signal = preparation.signal ? AbortSignal.any([deadline, preparation.signal]) : deadline;
      for (const operation of known.values()) {
        if (signal.aborted) return;
        await prepareOne(operation, next, preparation, signal).catch((error: unknown) => {
          if (!signal.aborted) preparation.onFailure?.(operation.name, error);
        });
        await nextTurn();
      }
    },
  };
}

function conditionsOf(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => typeof value === 'boolean'));
}

async function prepareOne(
  { text, name, conditions, caller, incremental }: KnownOperation,
  supergraph: Supergraph,
  { operationCacheOf, planner }: Preparation,
  signal: AbortSignal,
): Promise<void> {
  const operation = operationCacheOf(supergraph).document(text).operation(name);
  const denied = operation.guard.deniedTo(caller);
  await planner.planOperation(
    { supergraph, operation, decided: operation.decide(conditions), denied, incremental },
    signal,
  );
}
