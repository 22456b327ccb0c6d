import type { LimitName } from '../../settings/limit-catalogue.ts';

/** More waits for query planner workers than they will get to in good time. */
export class PlannerQueueFull extends Error {
  override readonly name = 'PlannerQueueFull';
}

/** The caller has had its share of query planner workers for now, or has as much waiting for them as it may. */
export class PlannerShareSpent extends Error {
  override readonly name = 'PlannerShareSpent';
  /** Milliseconds after which there is something left again. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The thread was ended because a task exceeded a limit. */
export class PlannerOverstrained extends Error {
  override readonly name = 'PlannerOverstrained';
  /** Its unit is in the name. */
  readonly limit: Extract<LimitName, 'planningMs' | 'planningMb'>;
  readonly maximum: number;
  readonly actual: number;

  constructor(limit: PlannerOverstrained['limit'], maximum: number, actual: number) {
    super(`A task of a query planner worker has exceeded the limit of ${maximum} on ${limit}.`);
    this.limit = limit;
    this.maximum = maximum;
    this.actual = actual;
  }
}

/** The thread was ended because other work of this machine has left it hardly any processor time for a task. */
export class PlannerStarved extends Error {
  override readonly name = 'PlannerStarved';
  /** Processor time that the task has had all the same. */
  readonly durationMs: number;

  constructor(waitedMs: number, durationMs: number) {
    super(
      `A query planner worker has had ${Math.round(durationMs)} ms of a processor in ${Math.round(waitedMs)} ms.`,
    );
    this.durationMs = durationMs;
  }
}
