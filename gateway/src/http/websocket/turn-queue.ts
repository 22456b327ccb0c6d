/**
 * Spreads work that comes in bursts over turns of the event loop: a few at a time, so that others have their turn in
 * between. What comes alone is done at once.
 */
export class TurnQueue {
  readonly #perTurn: number;
  #waiting: (() => void)[] = [];
  #done = 0;
  #isScheduled = false;

  /** @param perTurn jobs of one turn */
  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Jobs that wait. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Runs a job now, or after those that wait. It must not throw. */
  run(job: () => void): void {
    if (this.#waiting.length > 0 || this.#done >= this.#perTurn) this.#waiting.push(job);
    else this.#do(job);
    this.#schedule();
  }

  #do(job: () => void): void {
    this.#done += 1;
    job();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isScheduled = false;
    this.#done = 0;
    for (const job of this.#waiting.splice(0, this.#perTurn)) this.#do(job);
    if (this.#done > 0) this.#schedule(); // until a turn has nothing to do
  }
}
