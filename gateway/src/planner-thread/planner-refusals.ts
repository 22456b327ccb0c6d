/** More waits for planner threads than they will get to in good time. */
export class PlannerQueueFull extends Error {
  override readonly name = 'PlannerQueueFull';
}

/** The caller has had its share of planner threads for now, or has as much waiting for them as it may. */
export class PlannerShareSpent extends Error {
  override readonly name = 'PlannerShareSpent';
  /** Milliseconds after which there is something left again. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
