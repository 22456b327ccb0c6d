import { availableParallelism } from 'node:os';
import type { QueryPlan } from '@apollo/query-planner';
import { timeouts } from '../../settings/timeouts.ts';
import type { JobWaiters } from './job-waiters.ts';
import { JobQueue } from './job-queue.ts';
import type { JobInputs, JobKind, JobResults, JobTask } from './messages.ts';
import type { IntrospectionInput } from './write-introspection.ts';
import type { PlanningBudget } from './planning-budget.ts';
import { QueryPlannerWorker, type PlannedSupergraph } from './query-planner-worker.ts';
import { WorkerThread, type StartPlanner } from './worker-thread.ts';

/** Makes query plans beside the event loop. There is no other way to get one: nothing is planned in the main thread. */
export interface QueryPlanSource {
  /**
   * Prepares planning for a generation of the supergraph: about 100 ms of a thread's time.
   *
   * @throws Error when nothing can be planned for it
   */
  load(supergraph: PlannedSupergraph): Promise<void>;
  /**
   * @param operation the text of a document with one operation, without conditions on variables
   * @param overrideLabels labels of progressive overrides that are on
   * @param waiters the callers that wait for it; when all have aborted, it leaves the queue, and what has begun goes on
   * @throws PlannerOverstrained when it takes longer than the deadline, or more memory than there is
   * @throws PlannerQueueFull when too many wait
   * @throws PlannerStarved when other work of the machine leaves the thread hardly any processor time
   * @throws PlannerShareSpent when the caller has had its share
   * @throws Error when the planner finds no plan
   */
  plan(
    supergraph: PlannedSupergraph,
    operation: string,
    overrideLabels: readonly string[],
    waiters: JobWaiters,
  ): Promise<QueryPlan>;
  /**
   * Answers a question about the schema of clients.
   *
   * @returns JSON; nothing where it would be too long
   * @throws as {@link QueryPlanSource.plan}
   */
  introspect(
    supergraph: PlannedSupergraph,
    input: IntrospectionInput,
    waiters: JobWaiters,
  ): Promise<string | undefined>;
  /** Forgets a generation that was loaded as often as this is called. A later use loads it again. */
  unload(supergraph: PlannedSupergraph): void;
  /** Ends the threads; what waits is rejected. */
  close(): Promise<void>;
}

/** Query planner workers, with one fair queue for all that they can do. */
export interface PlannerPool extends QueryPlanSource {
  /** How many threads there are now. */
  readonly threads: number;
  /**
   * Has a job of any kind done, as {@link QueryPlanSource.plan} has a plan made: the same queue, the same budget, the same
   * deadline, the same rejections.
   */
  run<Kind extends JobKind>(
    kind: Kind,
    supergraph: PlannedSupergraph,
    input: JobInputs[Kind],
    waiters: JobWaiters,
  ): Promise<JobResults[Kind]>;
}

/** Settings of {@link createPlannerPool}. */
export interface PlannerPoolOptions {
  /** How many threads there are at most. One always runs, the others while they are needed. @default by processors */
  readonly threads?: (() => number) | undefined;
  /** Milliseconds of processor time that a job may take before its thread is killed. @default that of the setting `timeouts.planningMs` */
  readonly deadlineMs?: (() => number) | undefined;
  /** How many jobs may wait. @default 1000 */
  readonly maxWaiting?: number | undefined;
  /** @default unbounded */
  readonly budget?: PlanningBudget | undefined;
  /** Milliseconds after which a thread ends whose work the others have time for. One stays. @default 10000 */
  readonly idleMs?: number | undefined;
  /** Gives a thread what it works in. @default {@link WorkerThread.start} */
  readonly start?: StartPlanner | undefined;
  /** Called when a thread had to be replaced, with the reason. */
  readonly onReplaced?: ((reason: Error) => void) | undefined;
}

const MAX_WAITING = 1_000;
/**
 * When there is always something that could be done for so long, another thread is needed. A burst is none: it is over before
 * the thread would have started.
 */
const GROW_AFTER_MS = 250;
/** A thread takes some 50 MB, and more for large graphs: that is given back. */
const IDLE_MS = 10_000;
/** A thread more than is needed ends when all of them together were at work for less than this share of the others' time. */
const SPARE_SHARE = 0.5;

/**
 * Two at least, on however few processors: with a single one, a new caller waits for the plan that is being made,
 * however long that takes. Four at most: each of them holds the graph in memory.
 */
const MIN_THREADS = 2;
const MAX_THREADS = 4;

/** How many threads plan by default. */
export function defaultQueryPlannerWorkers(processors: number = availableParallelism()): number {
  return Math.max(MIN_THREADS, Math.min(MAX_THREADS, processors - 1));
}

/** Starts the first thread. */
export function createPlannerPool(options: PlannerPoolOptions = {}): PlannerPool {
  return new ThreadPool(options);
}

/**
 * Of each query planner worker but the first, which run as long as there is always something to plan: the event loop comes before
 * them. Against one other thread on the same processor, a quarter of it is left. The first one plans what comes at calm times: did
 * the event loop always come before it, that would wake for each plan alone, which costs a tenth of a new operation.
 */
const FURTHER_NICENESS = 5;

/** A generation, and for how many it is held. */
interface Held {
  readonly supergraph: PlannedSupergraph;
  holders: number;
}

class ThreadPool implements PlannerPool {
  readonly #options: PlannerPoolOptions;
  readonly #maxThreads: () => number;
  readonly #jobs: JobQueue;
  readonly #held = new Map<string, Held>();
  /** The first one stays. */
  readonly #threads: QueryPlannerWorker[] = [];
  #growing: NodeJS.Timeout | undefined;
  /** There while there is more than one thread. */
  #reviewing: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PlannerPoolOptions) {
    const { threads = defaultQueryPlannerWorkers, maxWaiting = MAX_WAITING, budget } = options;
    this.#options = options;
    this.#maxThreads = threads;
    // One thread is left to the others, if there is more than one: no caller holds up all of them.
    this.#jobs = new JobQueue({ maxWaiting, maxServed: () => Math.max(1, threads() - 1), budget });
    this.#addThread();
  }

  get threads(): number {
    return this.#threads.length;
  }

  async load(supergraph: PlannedSupergraph): Promise<void> {
    if (this.#isClosed) throw ended();
    this.#hold(supergraph);
    const [first, ...others] = this.#threads.map((thread) => thread.load(supergraph));
    for (const other of others) other.catch(() => undefined); // reported to the first caller of that thread
    try {
      await first;
    } catch (error) {
      this.#letGo(supergraph.hash);
      throw error;
    }
  }

  async plan(
    supergraph: PlannedSupergraph,
    operation: string,
    overrideLabels: readonly string[],
    waiters: JobWaiters,
  ): Promise<QueryPlan> {
    const text = await this.run('plan', supergraph, { operation, overrideLabels }, waiters);
    return JSON.parse(text) as QueryPlan; // written by our own program
  }

  introspect(
    supergraph: PlannedSupergraph,
    input: IntrospectionInput,
    waiters: JobWaiters,
  ): Promise<string | undefined> {
    return this.run('introspect', supergraph, input, waiters);
  }

  async run<Kind extends JobKind>(
    kind: Kind,
    supergraph: PlannedSupergraph,
    input: JobInputs[Kind],
    waiters: JobWaiters,
  ): Promise<JobResults[Kind]> {
    if (this.#isClosed) throw ended();
    const task = { kind: 'job', job: kind, hash: supergraph.hash, input } as JobTask; // as the parameters say
    const result = this.#jobs.add({ supergraph, task }, waiters);
    this.#wake();
    return (await result) as JobResults[Kind]; // our own program answers with what it is asked for
  }

  unload({ hash }: PlannedSupergraph): void {
    this.#letGo(hash);
    if (this.#held.has(hash)) return;
    for (const thread of this.#threads) thread.unload(hash, () => !this.#held.has(hash));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#growing);
    clearInterval(this.#reviewing);
    this.#jobs.close(ended());
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #hold(supergraph: PlannedSupergraph): void {
    const held = this.#held.get(supergraph.hash);
    if (held) held.holders += 1;
    else this.#held.set(supergraph.hash, { supergraph, holders: 1 });
  }

  #letGo(hash: string): void {
    const held = this.#held.get(hash);
    if (held && held.holders > 1) held.holders -= 1;
    else this.#held.delete(hash);
  }

  #wake(): void {
    for (const thread of this.#threads) thread.wake();
    if (this.#jobs.isReady && this.#threads.length < this.#maxThreads())
      this.#growing ??= setTimeout(() => this.#grow(), GROW_AFTER_MS).unref();
  }

  #grow(): void {
    this.#growing = undefined;
    const isAllowed = this.#threads.length < this.#maxThreads(); // it may have changed meanwhile
    if (this.#isClosed || !this.#jobs.isReady || !isAllowed) return;
    this.#addThread();
    this.#wake();
  }

  #addThread(): void {
    const { onReplaced = () => undefined, start = WorkerThread.start } = this.#options;
    const thread: QueryPlannerWorker = new QueryPlannerWorker({
      niceness: this.#threads.length === 0 ? 0 : FURTHER_NICENESS,
      start,
      wanted: () => [...this.#held.values()].map(({ supergraph }) => supergraph),
      takeWork: () => this.#takeWork(thread),
      onReplaced,
    });
    this.#threads.push(thread);
    if (this.#threads.length > 1) this.#beginReview();
  }

  #end(thread: QueryPlannerWorker): void {
    this.#threads.splice(this.#threads.indexOf(thread), 1);
    void thread.close();
    if (this.#threads.length === 1) clearInterval(this.#reviewing);
  }

  /** What one thread has done may let another begin with what its caller has waiting. */
  #takeWork(thread: QueryPlannerWorker): (() => Promise<void>) | undefined {
    if (this.#threads.indexOf(thread) >= this.#maxThreads()) {
      this.#end(thread); // fewer are allowed than before
      return undefined;
    }
    const run = this.#jobs.take();
    if (!run) return undefined;
    const { deadlineMs = () => timeouts.members.planningMs.default } = this.#options;
    return async () => {
      await run(({ supergraph, task }) => thread.perform(supergraph, task, deadlineMs()));
      this.#wake();
    };
  }

  /** What was done before the number of threads changed says little of what they have to do now. */
  #beginReview(): void {
    const { idleMs = IDLE_MS } = this.#options;
    clearInterval(this.#reviewing);
    this.#workedMs();
    this.#reviewing = setInterval(() => this.#review(idleMs), idleMs).unref();
  }

  /** All of them together: where one is held up by a long plan, the others are needed, however little they have to do. */
  #review(idleMs: number): void {
    const last = this.#threads.at(-1);
    const spareMs = SPARE_SHARE * idleMs * (this.#threads.length - 1);
    if (this.#workedMs() < spareMs && last && !last.isBusy) this.#end(last);
  }

  /** Of all threads, since it was asked last. */
  #workedMs(): number {
    return this.#threads.reduce((sum, thread) => sum + thread.takeWorkedMs(), 0);
  }
}

function ended(): Error {
  return new Error('Planning has ended.');
}
