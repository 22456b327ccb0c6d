import {
  amountsOf,
  DEFAULT_SHARES,
  FairQueue,
  type QueuePlace,
  type ServedItem,
} from '@trellis/runtime/admission';
import { whenAborted } from '../../abort/deadline-signal.ts';
import { GATEWAY_ITSELF, type JobWaiters, type PlannerCaller } from './job-waiters.ts';
import type { JobTask } from './messages.ts';
import {
  PlannerOverstrained,
  PlannerQueueFull,
  PlannerShareSpent,
  PlannerStarved,
} from './planner-rejections.ts';
import type { PlannedSupergraph } from './query-planner-worker.ts';
import type { PlanningBudget, PlanningReservation } from './planning-budget.ts';
import { TaskFailed, type TaskOutcome } from './worker-thread.ts';

/** Bounds of a {@link JobQueue}. */
export interface JobQueueOptions {
  /** How many jobs may wait. */
  readonly maxWaiting: number;
  /** How many jobs of one caller may be done at a time. */
  readonly maxServed: () => number;
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
  readonly places: Map<PlannerCaller, PaidPlace>;
  isBegun: boolean;
}

/** A place in the queue, and what is reserved for it of its caller's budget. */
interface PaidPlace extends QueuePlace {
  readonly reservation: PlanningReservation | undefined;
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

/** Jobs for query planner workers, each caller's share of them, and what each has been given. */
export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #queue: FairQueue<Entry>;
  readonly #jobs = new Set<Job>();

  constructor(options: JobQueueOptions) {
    const { maxWaiting, maxServed } = options;
    this.#options = options;
    this.#queue = new FairQueue({
      maxWaiting,
      maxWaitingPerKey: amountsOf(maxWaiting, DEFAULT_SHARES.ofTotal),
      maxServedPerKey: () => [maxServed()],
      expectedCost: EXPECTED_MS,
      onDisplaced: (entry) => this.#displaced(entry),
    });
  }

  /** Whether there is something that a thread could do now. */
  get isReady(): boolean {
    return this.#queue.isReady;
  }

  /**
   * @returns what comes of the job
   * @throws PlannerQueueFull, PlannerShareSpent, the signal's reason, and what doing it throws
   */
  async add(work: PlannerWork, waiters: JobWaiters): Promise<unknown> {
    waiters.signal.throwIfAborted();
    const [first] = waiters.callers;
    const waitMs = first ? this.#budgetWaitMs(first) : 0;
    if (waitMs > 0) throw new PlannerShareSpent('The caller has used up its time of planning.', waitMs);
    return this.#wait(work, waiters);
  }

  /** @returns does the job that is next, charges what it took, and never rejects; nothing where there is none */
  take(): ((perform: (work: PlannerWork) => Promise<TaskOutcome>) => Promise<void>) | undefined {
    const served = this.#queue.next();
    if (!served) return undefined;
    const { job, caller } = served.item;
    const reservation = job.places.get(caller)?.reservation;
    job.places.delete(caller);
    job.isBegun = true;
    leaveQueue(job);
    return (perform) => this.#perform(served, reservation, perform);
  }

  /** Rejects all that waits or is being done. */
  close(reason: Error): void {
    for (const { reject } of this.#jobs) reject(reason);
  }

  #wait(work: PlannerWork, waiters: JobWaiters): Promise<unknown> {
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
      const stopWatching = whenAborted(waiters.signal, () => {
        if (!job.isBegun) job.reject(waiters.signal.reason);
      });
      const stopListening = waiters.onAdded((caller) => this.#add(job, caller));
      this.#jobs.add(job);
      this.#begin(job, waiters.callers);
    });
  }

  /** Each of the callers brings a place, if there is one for any of them. */
  #begin(job: Job, callers: readonly PlannerCaller[]): void {
    const rejections = callers.map((caller) => this.#place({ job, caller }));
    if (job.places.size === 0) job.reject(rejections[0]);
  }

  #add(job: Job, caller: PlannerCaller): void {
    if (!job.isBegun && this.#budgetWaitMs(caller) === 0) this.#place({ job, caller });
  }

  #place(entry: Entry): Error | undefined {
    const place = this.#queue.add(entry, entry.caller);
    if (place === 'share')
      return new PlannerShareSpent('The caller has as much waiting to be planned as it may.', RETRY_AFTER_MS);
    if (place === 'total')
      return new PlannerQueueFull(`${this.#options.maxWaiting} operations wait for a plan.`);
    entry.job.places.set(entry.caller, { ...place, reservation: this.#reserve(entry) });
    return undefined;
  }

  #displaced({ job, caller }: Entry): void {
    job.places.get(caller)?.reservation?.release();
    job.places.delete(caller);
    if (job.places.size === 0)
      job.reject(new PlannerQueueFull(`${this.#options.maxWaiting} operations wait for a plan.`));
  }

  async #perform(
    { item: { job, caller }, done }: ServedItem<Entry>,
    reservation: PlanningReservation | undefined,
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
      reservation?.settle(spentMs);
      caller.onSpent?.(spentMs);
    }
  }

  #reserve({ job, caller }: Entry): PlanningReservation | undefined {
    if (caller === GATEWAY_ITSELF) return undefined;
    return this.#options.budget?.reserve(caller.keys, charactersOf(job.work.task));
  }

  #budgetWaitMs(caller: PlannerCaller): number {
    return caller === GATEWAY_ITSELF ? 0 : (this.#options.budget?.waitMs(caller.keys) ?? 0);
  }
}

/** What there is to plan. */
function charactersOf({ input }: JobTask): number {
  return 'operation' in input ? input.operation.length : input.text.length;
}

function leaveQueue({ places }: Job): void {
  for (const { leave, reservation } of places.values()) {
    leave();
    reservation?.release();
  }
  places.clear();
}

/** What has failed has taken its time as well. @returns nothing where it was not measured */
function durationOf(error: unknown): number | undefined {
  if (error instanceof TaskFailed || error instanceof PlannerStarved) return error.durationMs;
  return error instanceof PlannerOverstrained && error.limit === 'planningMs' ? error.actual : undefined;
}
