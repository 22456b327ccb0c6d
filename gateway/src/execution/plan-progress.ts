import type { Completed } from './complete-data.ts';
import type { PlanRun } from './plan-run.ts';
import type { FetchStep } from '../plan/fetch-step.ts';
import type { DeferredPlan, LaterPart } from '../plan/plan-steps.ts';
import { runStep } from './run-plan.ts';
import type { Plan } from '../plan/plan.ts';
import { createFetchLedger, fetchesOf, type FetchLedger } from './fetch-ledger.ts';

/** Stands for the first part among the ids of the `@defer` directives. */
const FIRST = '';

/** Makes the fetches of an answer in parts, and knows how far they are. */
export class PlanProgress {
  readonly #run: PlanRun;
  readonly #ledger: FetchLedger;
  readonly #isPlanned: boolean;
  /** How many groups of fetches each part still lacks. */
  readonly #missing = new Map<string, number>();
  /** The part that each fetch is made for. */
  readonly #owners = new Map<FetchStep, string>();
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  /** Begins. Where the plan knows of no parts, nobody can say what is fetched: what is there has to be looked at. */
  constructor({ parts, step }: Plan, run: PlanRun) {
    this.#run = run;
    this.#isPlanned = parts !== undefined;
    const plan = parts ?? { first: step, later: [] };
    this.#ledger = createFetchLedger(plan);
    if (parts) this.#expect(plan, FIRST);
    run.fetchDone = ({ id }) => {
      this.#ledger.done(id);
      this.#wake();
    };
    this.#runGroup(plan, FIRST).then(
      () => this.#end(undefined),
      (error: unknown) => this.#end({ error }),
    );
  }

  /**
   * Whether a completion is what it will be in the end. What is missing without a reason may yet be fetched; where the plan
   * knows of no parts, so may what a failed fetch explains. When nothing more is fetched, it is missing for good.
   */
  settles({ isIncomplete, isUncertain }: Pick<Completed, 'isIncomplete' | 'isUncertain'>): boolean {
    return this.#isOver || !(isIncomplete || (isUncertain && !this.#isPlanned));
  }

  /** Whether all is fetched that a part was planned to need. @param deferId absent for the first part */
  isFetched(deferId: string = FIRST): boolean {
    return (this.#missing.get(deferId) ?? 0) === 0;
  }

  /** Whether a fetch is made for a part; where nobody can say, for whoever asks. @param deferId absent for the first part */
  isMadeFor(step: FetchStep, deferId: string = FIRST): boolean {
    return (this.#owners.get(step) ?? deferId) === deferId;
  }

  /** Waits for one more fetch, or for the end. @throws what ended the run */
  async next(): Promise<void> {
    if (!this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure) throw this.#failure.error;
  }

  #expect({ first, later }: DeferredPlan, deferId: string): void {
    this.#missing.set(deferId, (this.#missing.get(deferId) ?? 0) + 1);
    for (const step of fetchesOf(first)) this.#owners.set(step, deferId);
    for (const part of later) this.#expect(part.plan, part.deferId);
  }

  async #runGroup({ first, later }: DeferredPlan, deferId: string): Promise<void> {
    const own = first ? runStep(first, this.#run) : Promise.resolve();
    const after = later.map((part) => this.#runLater(part));
    await Promise.all([own.then(() => this.#fetched(deferId)), ...after]);
  }

  async #runLater({ after, plan, deferId }: LaterPart): Promise<void> {
    await this.#ledger.allDone(after);
    await this.#runGroup(plan, deferId);
  }

  #fetched(deferId: string): void {
    this.#missing.set(deferId, (this.#missing.get(deferId) ?? 1) - 1);
    this.#wake();
  }

  #end(failure: { readonly error: unknown } | undefined): void {
    this.#isOver = true;
    this.#failure = failure;
    this.#wake();
  }
}
