import type { Supergraph } from '../../supergraph/supergraph.ts';
import type { JobTask, PlannerTask } from './messages.ts';
import type { RunningPlanner, StartPlanner, TaskOutcome } from './worker-thread.ts';

/** What a thread knows a supergraph by. */
export type PlannedSupergraph = Pick<Supergraph, 'hash' | 'sdl'>;

/** What a {@link QueryPlannerWorker} needs of those who have it. */
export interface QueryPlannerWorkerOptions {
  /** Added to the niceness of the process: the more, the less processor time it gets beside others. */
  readonly niceness: number;
  readonly start: StartPlanner;
  /** What a new thread is to know. */
  readonly wanted: () => Iterable<PlannedSupergraph>;
  /** Takes what is to be done next; nothing where there is nothing to do. */
  readonly takeWork: () => (() => Promise<void>) | undefined;
  /** Called when the thread had to be replaced, with the reason. */
  readonly onReplaced: (reason: Error) => void;
}

const LOAD_DEADLINE_MS = 60_000;

/**
 * One place of the pool, with a thread in it. The thread does one thing at a time, so that a deadline measures that alone;
 * when it has to be killed another one is started, which loads the same supergraphs.
 */
export class QueryPlannerWorker {
  readonly #options: QueryPlannerWorkerOptions;
  /** Done before any other work. */
  readonly #chores: (() => Promise<void>)[] = [];
  /** What the present thread knows. */
  #loaded = new Set<string>();
  #worker: Promise<RunningPlanner> | undefined;
  #isBusy = false;
  #isClosed = false;
  /** Since {@link QueryPlannerWorker.takeWorkedMs} was called last; while it is at work, without what it does now. */
  #workedMs = 0;
  /** When it began what it does now, or was asked of it last. */
  #busySinceMs = 0;

  constructor(options: QueryPlannerWorkerOptions) {
    this.#options = options;
    this.#prepare();
  }

  /** Looks for work, unless it is at work. */
  wake(): void {
    if (!this.#isBusy && !this.#isClosed) void this.#work();
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Milliseconds that it was at work since this was called last. */
  takeWorkedMs(): number {
    const nowMs = performance.now();
    const workedMs = this.#workedMs + (this.#isBusy ? nowMs - this.#busySinceMs : 0);
    this.#workedMs = 0;
    this.#busySinceMs = nowMs;
    return workedMs;
  }

  /** @throws Error when nothing can be planned for it */
  load(supergraph: PlannedSupergraph): Promise<void> {
    return this.#chore(() => this.#loadInto(supergraph));
  }

  /** @param isForgotten asked when its turn comes: it may be wanted again by then */
  unload(hash: string, isForgotten: () => boolean): void {
    this.#chore(async () => {
      if (isForgotten() && this.#loaded.delete(hash))
        await this.#ask({ kind: 'unload', hash }, LOAD_DEADLINE_MS);
    }).catch(() => undefined); // a thread that has ended has forgotten everything
  }

  /**
   * Does a job. To be called from within the work that it has taken.
   *
   * @throws PlannerOverstrained, TaskFailed, Error
   */
  async perform(supergraph: PlannedSupergraph, task: JobTask, deadlineMs: number): Promise<TaskOutcome> {
    await this.#loadInto(supergraph);
    return this.#ask(task, deadlineMs);
  }

  /** Ends the thread in the midst of whatever it does. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = await this.#worker?.catch(() => undefined);
    await worker?.close();
  }

  /** At once, and not when something is to be done: starting and loading takes time. */
  #prepare(): void {
    this.#chore(async () => void (await this.#alive())).catch(() => undefined); // reported to the first caller
    for (const supergraph of this.#options.wanted()) this.load(supergraph).catch(() => undefined);
  }

  #chore(chore: () => Promise<void>): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The query planner worker has ended.'));
    return new Promise((resolve, reject) => {
      this.#chores.push(() => chore().then(resolve, reject));
      this.wake();
    });
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    this.#busySinceMs = performance.now();
    for (let work = this.#next(); work; work = this.#next()) await work();
    this.#workedMs += performance.now() - this.#busySinceMs;
    this.#isBusy = false;
  }

  #next(): (() => Promise<void>) | undefined {
    return this.#chores.shift() ?? (this.#isClosed ? undefined : this.#options.takeWork());
  }

  async #loadInto({ hash, sdl }: PlannedSupergraph): Promise<void> {
    await this.#alive();
    if (this.#loaded.has(hash)) return;
    await this.#ask({ kind: 'load', hash, sdl }, LOAD_DEADLINE_MS);
    this.#loaded.add(hash);
  }

  async #ask(task: PlannerTask, deadlineMs: number): Promise<TaskOutcome> {
    const worker = await this.#alive();
    try {
      return await worker.ask(task, deadlineMs);
    } catch (error) {
      if (!worker.isAlive && !this.#isClosed) this.#replace(error as Error); // workers reject with errors alone
      throw error;
    }
  }

  async #alive(): Promise<RunningPlanner> {
    const worker = await this.#worker?.catch(() => undefined);
    if (worker?.isAlive) return worker;
    if (this.#isClosed) throw new Error('The query planner worker has ended.');
    this.#loaded = new Set();
    this.#worker = this.#options.start(this.#options.niceness);
    return this.#worker;
  }

  #replace(reason: Error): void {
    this.#options.onReplaced(reason);
    this.#prepare();
  }
}
