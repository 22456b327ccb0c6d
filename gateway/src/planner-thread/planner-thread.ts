import type { QueryPlan } from '@apollo/query-planner';
import { whenAborted } from '../execution/when-aborted.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { PlannerTask } from './messages.ts';
import { PlannerWorker } from './planner-worker.ts';

/** What the thread knows a supergraph by. */
export type PlannedSupergraph = Pick<Supergraph, 'hash' | 'sdl'>;

/** Makes query plans beside the event loop. There is no other way to get one: nothing is planned in the main thread. */
export interface QueryPlanSource {
  /**
   * Prepares planning for a generation of the supergraph: about 100 ms of the thread's time.
   *
   * @throws Error when nothing can be planned for it
   */
  load(supergraph: PlannedSupergraph): Promise<void>;
  /**
   * @param operation the text of a document with one operation, without conditions on variables
   * @param overrideLabels labels of progressive overrides that are on
   * @param signal takes the operation out of the queue; what has begun goes on
   * @throws PlannerOverstrained when it takes longer than the deadline, or more memory than there is
   * @throws PlannerQueueFull when too many wait
   * @throws Error when the planner finds no plan
   */
  plan(
    supergraph: PlannedSupergraph,
    operation: string,
    overrideLabels: readonly string[],
    signal: AbortSignal,
  ): Promise<QueryPlan>;
  /** Forgets a generation that was loaded as often as this is called. Whoever asks for it after all loads it again. */
  unload(supergraph: PlannedSupergraph): void;
  /** Ends the thread; what waits is rejected. */
  close(): Promise<void>;
}

/** Settings of {@link createPlannerThread}. */
export interface PlannerThreadOptions {
  /** Milliseconds that the thread may take for one plan before it is killed. @default 5000 */
  readonly deadlineMs?: number | undefined;
  /** How many operations may wait for the thread. @default 1000 */
  readonly maxWaiting?: number | undefined;
  /** Called when the thread had to be replaced, with the reason. */
  readonly onReplaced?: ((reason: Error) => void) | undefined;
}

/** More operations wait to be planned than the thread will get to in good time. */
export class PlannerQueueFull extends Error {
  override readonly name = 'PlannerQueueFull';
}

const DEADLINE_MS = 5_000;
const LOAD_DEADLINE_MS = 60_000;
const MAX_WAITING = 1_000;

/** Starts the thread. It is replaced when it has to be killed, and knows the same supergraphs then. */
export function createPlannerThread(options: PlannerThreadOptions = {}): QueryPlanSource {
  return new PlannerThread(options);
}

/** Something the thread is to do; the thread does one thing at a time, so that a deadline measures that alone. */
interface Job {
  readonly run: () => Promise<void>;
  readonly reject: (error: Error) => void;
}

class PlannerThread implements QueryPlanSource {
  readonly #options: PlannerThreadOptions;
  readonly #jobs = new Set<Job>();
  /** What a new thread is to know, and for how many. */
  readonly #wanted = new Map<string, { readonly supergraph: PlannedSupergraph; holders: number }>();
  /** What the present one knows. */
  #loaded = new Set<string>();
  #worker: Promise<PlannerWorker> | undefined;
  #isBusy = false;
  #isClosed = false;

  constructor(options: PlannerThreadOptions) {
    this.#options = options;
    this.#enqueue(() => this.#alive()).catch(() => undefined); // told to whoever asks first
  }

  async load(supergraph: PlannedSupergraph): Promise<void> {
    this.#hold(supergraph);
    try {
      await this.#enqueue(() => this.#loadInto(supergraph));
    } catch (error) {
      this.#letGo(supergraph.hash);
      throw error;
    }
  }

  async plan(
    supergraph: PlannedSupergraph,
    operation: string,
    overrideLabels: readonly string[],
    signal: AbortSignal,
  ): Promise<QueryPlan> {
    const { maxWaiting = MAX_WAITING, deadlineMs = DEADLINE_MS } = this.#options;
    if (this.#jobs.size >= maxWaiting)
      throw new PlannerQueueFull(`${maxWaiting} operations wait for a plan.`);
    return this.#enqueue(async () => {
      await this.#loadInto(supergraph);
      const task = { kind: 'plan', hash: supergraph.hash, operation, overrideLabels } as const;
      const plan = await this.#ask(task, deadlineMs);
      if (!plan) throw new Error('The thread that plans has answered something else.');
      return plan;
    }, signal);
  }

  unload({ hash }: PlannedSupergraph): void {
    this.#letGo(hash);
    if (this.#wanted.has(hash)) return;
    this.#enqueue(async () => {
      const isForgotten = !this.#wanted.has(hash) && this.#loaded.delete(hash);
      if (isForgotten) await this.#ask({ kind: 'unload', hash }, LOAD_DEADLINE_MS);
    }).catch(() => undefined); // a thread that has ended has forgotten everything
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#jobs) reject(new Error('Planning has ended.'));
    this.#jobs.clear();
    const worker = await this.#worker?.catch(() => undefined);
    await worker?.close();
  }

  #hold(supergraph: PlannedSupergraph): void {
    const held = this.#wanted.get(supergraph.hash);
    if (held) held.holders += 1;
    else this.#wanted.set(supergraph.hash, { supergraph, holders: 1 });
  }

  #letGo(hash: string): void {
    const held = this.#wanted.get(hash);
    if (held && held.holders > 1) held.holders -= 1;
    else this.#wanted.delete(hash);
  }

  #enqueue<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new Error('Planning has ended.'));
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#jobs.delete(job);
        reject(signal?.reason as Error);
      };
      const job: Job = {
        reject,
        run: async () => {
          stopWatching?.();
          await task().then(resolve, reject);
        },
      };
      const stopWatching = signal && whenAborted(signal, leave);
      this.#jobs.add(job);
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (const job of this.#jobs) {
      this.#jobs.delete(job);
      await job.run();
    }
    this.#isBusy = false;
  }

  async #loadInto({ hash, sdl }: PlannedSupergraph): Promise<void> {
    await this.#alive();
    if (this.#loaded.has(hash)) return;
    await this.#ask({ kind: 'load', hash, sdl }, LOAD_DEADLINE_MS);
    this.#loaded.add(hash);
  }

  async #ask(task: PlannerTask, deadlineMs: number): Promise<QueryPlan | undefined> {
    const worker = await this.#alive();
    try {
      return await worker.ask(task, deadlineMs);
    } catch (error) {
      if (!worker.isAlive && !this.#isClosed) this.#replace(error as Error); // workers reject with errors alone
      throw error;
    }
  }

  async #alive(): Promise<PlannerWorker> {
    const worker = await this.#worker?.catch(() => undefined);
    if (worker?.isAlive) return worker;
    this.#loaded = new Set();
    this.#worker = PlannerWorker.start();
    return this.#worker;
  }

  /** At once, and not when the next operation comes: starting and loading takes time. */
  #replace(reason: Error): void {
    this.#options.onReplaced?.(reason);
    for (const { supergraph } of this.#wanted.values()) {
      this.#enqueue(() => this.#loadInto(supergraph)).catch(() => undefined); // told to whoever needs it
    }
  }
}
