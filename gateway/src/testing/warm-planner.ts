import type { PlannerTask } from '../planning/threads/messages.ts';
import { WorkerThread, type RunningPlanner, type TaskOutcome } from '../planning/threads/worker-thread.ts';

/** Threads that no test needs now. They know no supergraph. */
const warm: WorkerThread[] = [];
/** As many as one test has gateways at a time. */
const MAX_WARM = 4;

/**
 * Gives a planner a thread that another test has left, or else a new one: to start one takes longer than most tests. Those that
 * are about threads start their own.
 */
export async function startWarmPlanner(niceness: number): Promise<RunningPlanner> {
  if (niceness !== 0) return WorkerThread.start(niceness);
  const left = warm.splice(0).filter(({ isAlive }) => isAlive);
  const worker = left.pop() ?? (await WorkerThread.start(niceness));
  warm.push(...left);
  return new WarmPlanner(worker);
}

/** Puts its thread back when it is closed, unless that is at work. */
class WarmPlanner implements RunningPlanner {
  readonly #worker: WorkerThread;
  readonly #loaded = new Set<string>();
  #isClosed = false;
  #isBusy = false;

  constructor(worker: WorkerThread) {
    this.#worker = worker;
  }

  get isAlive(): boolean {
    return !this.#isClosed && this.#worker.isAlive;
  }

  async ask(task: PlannerTask, deadlineMs: number): Promise<TaskOutcome> {
    if (task.kind === 'load') this.#loaded.add(task.hash);
    this.#isBusy = true;
    try {
      return await this.#worker.ask(task, deadlineMs);
    } finally {
      this.#isBusy = false;
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#isBusy || !this.#worker.isAlive || warm.length >= MAX_WARM) return this.#worker.close();
    for (const hash of this.#loaded) await this.#worker.ask({ kind: 'unload', hash }, UNLOAD_DEADLINE_MS);
    warm.push(this.#worker);
  }
}

const UNLOAD_DEADLINE_MS = 60_000;
