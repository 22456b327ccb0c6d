import type { Completed } from './completed.ts';
import type { PlanRun } from './plan-run.ts';
import { fetchesOf, type FetchStep, type DeferredPlan, type LaterPart, type Plan } from '../plan/plan.ts';
import { runStep } from './run-plan.ts';

/** Stands for the first part among the ids of the `@defer` directives. */
const FIRST = '';

/** Makes the fetches of a response in parts, and knows how far they are. */
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
  /** Settles when nothing more is fetched, whatever came of it. */
  readonly over: Promise<void>;

  /** Begins. Where the plan knows of no parts, what is fetched for which part is unknown: the data has to be looked at. */
  constructor({ parts, step }: Pick<Plan, 'parts' | 'step'>, run: PlanRun) {
    this.#run = run;
    this.#isPlanned = parts !== undefined;
    const plan = parts ?? { first: step, later: [] };
    this.#ledger = createFetchLedger(plan);
    if (parts) this.#expect(plan, FIRST);
    run.fetchDone = ({ id }) => {
      this.#ledger.done(id);
      this.#wake();
    };
    this.over = this.#runGroup(plan, FIRST).then(
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

  /** Whether a fetch is made for a part; where that is unknown, for any. @param deferId absent for the first part */
  isMadeFor(step: FetchStep, deferId: string = FIRST): boolean {
    return (this.#owners.get(step) ?? deferId) === deferId;
  }

  /** Whether nothing more is fetched. @throws what ended the run */
  get isOver(): boolean {
    if (this.#failure) throw this.#failure.error;
    return this.#isOver;
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

/** Which fetches of a run are over. */
interface FetchLedger {
  done(id: string | undefined): void;
  /** Settled when all of these are over. */
  allDone(ids: readonly string[]): Promise<unknown>;
}

/** A fetch that was made several (its requirements clash) is over when all of them are. */
function createFetchLedger(plan: DeferredPlan): FetchLedger {
  const entries = new Map<string, Entry>();
  for (const id of fetchIds(plan)) {
    const entry = entries.get(id);
    if (entry) entry.left += 1;
    else entries.set(id, createEntry());
  }
  return {
    done(id) {
      const entry = id === undefined ? undefined : entries.get(id);
      if (!entry) return;
      entry.left -= 1;
      if (entry.left === 0) entry.resolve();
    },
    allDone: (ids) => Promise.all(ids.map((id) => entries.get(id)?.over ?? Promise.resolve())),
  };
}

interface Entry {
  left: number;
  readonly over: Promise<void>;
  readonly resolve: () => void;
}

function createEntry(): Entry {
  let resolve = (): void => {};
  const over = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { left: 1, over, resolve };
}

function* fetchIds({ first, later }: DeferredPlan): Iterable<string> {
  for (const { id } of fetchesOf(first)) if (id !== undefined) yield id;
  for (const part of later) yield* fetchIds(part.plan);
}
