import { tooComplex } from '../errors.ts';

/** What the operations of one request may cost together: ten in a batch may not ask for ten times as much as one. */
export class CostBudget {
  #spent = 0;

  /**
   * Takes the cost of one more operation. What is rejected is not taken, so that what is cheap may still come after it.
   *
   * @throws RequestError QUERY_TOO_COMPLEX naming `cost`, with what all of them cost
   */
  spend(cost: number, maximum: number): void {
    const total = this.#spent + cost;
    if (total > maximum) throw tooComplex('cost', maximum, total);
    this.#spent = total;
  }
}
