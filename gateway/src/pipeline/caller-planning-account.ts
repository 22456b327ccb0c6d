import type { Caller } from '../identity/caller.ts';
import type { PlannerCaller } from '../planning/threads/job-audience.ts';
import type { PlanningAccount } from '../planning/operation-planner.ts';
import type { PipelineServices } from './services.ts';

type AccountServices = Pick<PipelineServices, 'shares' | 'rateLimiter'>;

/** A caller's share of planning. What is planned for long counts in the caller's rates as well. */
export class CallerPlanningAccount implements PlanningAccount {
  readonly #caller: Caller;
  readonly #address: string;
  readonly #services: AccountServices;

  constructor(caller: Caller, address: string, services: AccountServices) {
    this.#caller = caller;
    this.#address = address;
    this.#services = services;
  }

  plannerCaller(): PlannerCaller {
    const { shares, rateLimiter } = this.#services;
    const { keys, isKnown } = shares.of(this.#caller, this.#address);
    const onSpent = (durationMs: number): void =>
      rateLimiter.chargePlanning(this.#address, this.#caller, durationMs);
    return { keys, isKnown, onSpent };
  }
}
