import {
  amountsOf,
  DEFAULT_SHARES,
  FairQueue,
  ShareBuckets,
  type QueuePlace,
  type ServedItem,
} from '@trellis/fair-share';
import { whenAborted } from '../../abort/when-aborted.ts';
import { GATEWAY_ITSELF, type JobAudience, type PlannerCaller } from './job-audience.ts';
import type { JobTask } from './messages.ts';
import {
  PlannerOverstrained,
  PlannerQueueFull,
  PlannerShareSpent,
  PlannerStarved,
} from './planner-refusals.ts';
import type { PlannedSupergraph } from './planner-thread.ts';
import { TaskFailed, type TaskOutcome } from './planner-worker.ts';

/** Milliseconds of planner threads that each caller has in a window. */
export interface PlanningBudget {
  /** Of one caller; networks around it have more, by the usual multiples. */
  readonly callerMs: number;
  readonly windowMs: number;
}

/** Bounds of a {@link JobQueue}. */
export interface JobQueueOptions {
  /** How many jobs may wait. */
  readonly maxWaiting: number;
  /** How many jobs of one caller may be done at a time. */
  readonly maxServed: number;
  /** Absent: unbounded. */
  readonly budget: PlanningBudget | undefined;
}

/** A job, and the supergraph that it is about. */
export interface PlannerWork {
  readonly supergraph: PlannedSupergraph;
  readonly task: JobTask;
}

/** Work that waits or is being done, wherever in the queue it stands. */
interface Job {
  readonly work: PlannerWork;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly places: Map<PlannerCaller, QueuePlace>;
  isBegun: boolean;
}

/** A job as one of its callers has it in the queue. */
interface Entry {
  readonly job: Job;
  readonly caller: PlannerCaller;
}

/** What a plan takes before any was made. */
const EXPECTED_MS = 10;
/** For a caller who has as much waiting as it may: until some of it has been done. */
const RETRY_AFTER_MS = 1_000;

/** Jobs for planner threads, each caller's share of them, and what each has been given. */
export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #queue: FairQueue<Entry>;
  readonly #budget: ShareBuckets | undefined;
  readonly #jobs = new Set<Job>();

  constructor(options: JobQueueOptions) {
    const { maxWaiting, maxServed, budget } = options;
    this.#options = options;
    this.#queue = new FairQueue({
      maxWaiting,
      maxWaitingPerKey: amountsOf(maxWaiting, DEFAULT_SHARES.ofTotal),
      maxServedPerKey: [maxServed],
      expectedCost: EXPECTED_MS,
      onDisplaced: (entry) => this.#displaced(entry),
    });
    this.#budget = budget && createBuckets(budget);
  }

  /** Whether there is something that a thread could do now. */
  get isReady(): boolean {
    return this.#queue.isReady;
  }

  /**
   * @returns what comes of the job
   * @throws PlannerQueueFull, PlannerShareSpent, the signal's reason, and what doing it throws
   */
  async add(work: PlannerWork, audience: JobAudience): Promise<unknown> {
    audience.signal.throwIfAborted();
    const [first] = audience.callers;
    const waitMs = first ? this.#budgetWaitMs(first) : 0;
    if (waitMs > 0) throw new PlannerShareSpent('The caller has used up its time of planning.', waitMs);
    return this.#wait(work, audience);
  }

  /** @returns does the job that is next, charges what it took, and never rejects; nothing where there is none */
  take(): ((perform: (work: PlannerWork) => Promise<TaskOutcome>) => Promise<void>) | undefined {
    const served = this.#queue.next();
    if (!served) return undefined;
    const { job } = served.item;
    job.isBegun = true;
    leaveQueue(job);
    return (perform) => this.#perform(served, perform);
  }

  /** Rejects all that waits or is being done. */
  close(reason: Error): void {
    for (const { reject } of this.#jobs) reject(reason);
  }

  #wait(work: PlannerWork, audience: JobAudience): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        stopWatching();
        stopListening();
        this.#jobs.delete(job);
        leaveQueue(job);
      };
      const job: Job = {
        work,
        resolve: (result) => (end(), resolve(result)),
        reject: (error) => (end(), reject(error)),
        places: new Map(),
        isBegun: false,
      };
      const stopWatching = whenAborted(audience.signal, () => {
        if (!job.isBegun) job.reject(audience.signal.reason);
      });
      const stopListening = audience.onJoined((caller) => this.#join(job, caller));
      this.#jobs.add(job);
      this.#begin(job, audience.callers);
    });
  }

  /** Each of the callers brings a place, if there is one for any of them. */
  #begin(job: Job, callers: readonly PlannerCaller[]): void {
    const refusals = callers.map((caller) => this.#place({ job, caller }));
    if (job.places.size === 0) job.reject(refusals[0]);
  }

  #join(job: Job, caller: PlannerCaller): void {
    if (!job.isBegun && this.#budgetWaitMs(caller) === 0) this.#place({ job, caller });
  }

  #place(entry: Entry): Error | undefined {
    const place = this.#queue.add(entry, entry.caller);
    if (place === 'share')
      return new PlannerShareSpent('The caller has as much waiting to be planned as it may.', RETRY_AFTER_MS);
    if (place === 'total')
      return new PlannerQueueFull(`${this.#options.maxWaiting} operations wait for a plan.`);
    entry.job.places.set(entry.caller, place);
    return undefined;
  }

  #displaced({ job, caller }: Entry): void {
    job.places.delete(caller);
    if (job.places.size === 0)
      job.reject(new PlannerQueueFull(`${this.#options.maxWaiting} operations wait for a plan.`));
  }

  async #perform(
    { item: { job, caller }, done }: ServedItem<Entry>,
    perform: (work: PlannerWork) => Promise<TaskOutcome>,
  ): Promise<void> {
    const startedAtMs = performance.now();
    let durationMs: number | undefined;
    try {
      const outcome = await perform(job.work);
      ({ durationMs } = outcome);
      job.resolve(outcome.result);
    } catch (error) {
      durationMs = durationOf(error);
      job.reject(error);
    } finally {
      // A thread that ended in the midst of the job has measured nothing: the job has taken its time all the same.
      const spentMs = durationMs ?? performance.now() - startedAtMs;
      done(spentMs);
      this.#charge(caller, spentMs);
    }
  }

  #charge(caller: PlannerCaller, durationMs: number): void {
    if (caller === GATEWAY_ITSELF) return;
    this.#budget?.charge(caller.keys, durationMs);
    caller.onSpent?.(durationMs);
  }

  #budgetWaitMs(caller: PlannerCaller): number {
    return caller === GATEWAY_ITSELF ? 0 : (this.#budget?.waitMs(caller.keys, 0) ?? 0);
  }
}

function createBuckets({ callerMs, windowMs }: PlanningBudget): ShareBuckets {
  return new ShareBuckets({ amounts: amountsOf(callerMs, DEFAULT_SHARES.ofCaller), windowMs });
}

function leaveQueue({ places }: Job): void {
  for (const { leave } of places.values()) leave();
  places.clear();
}

/** What has failed has taken its time as well. @returns nothing where nobody has measured it */
function durationOf(error: unknown): number | undefined {
  if (error instanceof TaskFailed || error instanceof PlannerStarved) return error.durationMs;
  return error instanceof PlannerOverstrained && error.limit === 'planningMs' ? error.actual : undefined;
}
