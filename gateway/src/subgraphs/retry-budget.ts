/** How many calls may be repeated. */
export interface RetryRules {
  /** Repeated calls that may be made at once before any call has earned one. */
  readonly reserve: number;
  /** What each call earns of a repeated one: at 0.1, one of ten calls may be repeated. */
  readonly perCall: number;
}

/** Keeps repeated calls in proportion to calls: what is down is not asked twice as often. */
export class RetryBudget {
  readonly #rules: RetryRules;
  #left: number;

  constructor(rules: RetryRules) {
    this.#rules = rules;
    this.#left = rules.reserve;
  }

  /** A call is made for the first time. */
  earn(): void {
    if (this.#left < this.#rules.reserve)
      this.#left = Math.min(this.#rules.reserve, this.#left + this.#rules.perCall);
  }

  /** Whether a call may be repeated; a `true` uses that up. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
