import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { limits } from '../../settings/limits.ts';
import type { PlannerReply, PlannerTask } from './messages.ts';
import { PlannerOverstrained } from './planner-rejections.ts';
import { startDeadline } from './work-deadline.ts';

/** Memory that a plan may take; beyond it the thread ends, and the process does not. */
const MAX_HEAP_MB = limits.members.planningMb.value;
/** Short-lived objects get little room: the thread waits most of the time, and what it holds is counted. */
const YOUNG_HEAP_MB = 16;
/** Where a developer waits for each load: collecting garbage takes a third of it otherwise. */
const ROOMY_YOUNG_HEAP_MB = 192;
const START_DEADLINE_MS = 30_000;
/** Query planner workers step back behind others. Without processor time for so long, the job fails with an error. */
const STARVED_MS = 30_000;

/** What a task has come to. */
export interface TaskOutcome {
  readonly result: unknown;
  /** The processor time that it took, as the thread has measured it. */
  readonly durationMs: number;
}

/** A task failed, as tasks may: the thread goes on. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
  readonly durationMs: number;

  constructor(message: string, durationMs: number) {
    super(message);
    this.durationMs = durationMs;
  }
}

/** Who waits for the thread's next reply. */
interface Waiting {
  readonly resolve: (reply: PlannerReply | Promise<never>) => void;
  readonly endDeadline: () => void;
}

/** Does tasks in a thread. */
export type RunningPlanner = Pick<WorkerThread, 'isAlive' | 'ask' | 'close'>;

/** @param niceness added to that of the process @throws Error when the thread can't start */
export type StartPlanner = (niceness: number) => Promise<RunningPlanner>;

/** Starts a thread that loads supergraphs sooner, in more memory. */
export const startRoomyPlanner: StartPlanner = (niceness) =>
  WorkerThread.start(niceness, ROOMY_YOUNG_HEAP_MB);

/** One life of a query planner worker. It ends when it is closed, when a task takes too long, or when it fails. */
export class WorkerThread {
  readonly #worker: Worker;
  #waiting: Waiting | undefined;
  #isAlive = true;
  /** Absent until it is ready, and where the operating system does not provide it. */
  #systemThread: number | undefined;
  /** Processor time of the thread at its last reply. */
  #clockMs = 0;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (reply: PlannerReply) => this.#receive(reply)); // our own program
    worker.on('error', (error) => this.#fail(failureOf(error)));
    worker.once('exit', () => {
      this.#isAlive = false;
      this.#fail(new Error('The query planner worker has ended.'));
    });
  }

  /** Or takes the one that was started ahead. @throws Error when the thread can't start */
  static async start(niceness: number, youngHeapMb: number = YOUNG_HEAP_MB): Promise<WorkerThread> {
    const first = ahead;
    ahead = undefined;
    if (niceness === 0 && youngHeapMb === YOUNG_HEAP_MB && first) return first;
    void first?.then((thread) => thread.close()).catch(() => undefined); // another kind is wanted
    forgetYoungGeneration();
    const worker = new Worker(...programOf(niceness, youngHeapMb));
    worker.unref();
    const started = new WorkerThread(worker);
    const ready = await started.#reply(START_DEADLINE_MS);
    if (ready.kind === 'ready') started.#systemThread = ready.systemThread;
    return started;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /**
   * Does one task. The one before must be done.
   *
   * @param deadlineMs of processor time
   * @throws PlannerOverstrained when it takes longer than `deadlineMs`, or more memory than there is; the thread has ended
   * @throws PlannerStarved when it gets no processor; the thread has ended
   * @throws TaskFailed when the task fails
   * @throws Error when the thread does
   */
  async ask(task: PlannerTask, deadlineMs: number): Promise<TaskOutcome> {
    const replied = this.#reply(deadlineMs);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is about windows of a browser
    this.#worker.postMessage(task);
    const reply = await replied;
    if (reply.kind === 'failed') throw new TaskFailed(reply.message, reply.durationMs);
    if (reply.kind === 'done') return reply;
    throw new Error('The query planner worker has answered something else.');
  }

  async close(): Promise<void> {
    this.#isAlive = false;
    await this.#worker.terminate();
  }

  /** The next one. No other call may be waiting. */
  #reply(deadlineMs: number): Promise<PlannerReply> {
    return new Promise((resolve) => {
      const endDeadline = startDeadline({
        limitMs: deadlineMs,
        maxWaitMs: deadlineMs + STARVED_MS,
        systemThread: this.#systemThread,
        clockMs: this.#clockMs,
        onOver: (reason) => this.#fail(reason),
      });
      this.#waiting = { resolve, endDeadline };
    });
  }

  #receive(reply: PlannerReply): void {
    this.#clockMs = reply.clockMs;
    this.#settle(reply);
  }

  #settle(outcome: PlannerReply | Promise<never>): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    waiting.endDeadline();
    waiting.resolve(outcome);
  }

  /** When nothing waits, nothing is lost. */
  #fail(failure: unknown): void {
    if (this.#waiting) this.#settle(this.#endBecause(failure));
  }

  async #endBecause(failure: unknown): Promise<never> {
    await this.close();
    throw failure;
  }
}

/** The thread that was started ahead, until it is taken. */
let ahead: Promise<WorkerThread> | undefined;

/**
 * Starts the first thread of a process: what will ask it takes as long to load as the thread does. The pool that starts a thread next
 * takes it. Where there is none, it ends with the process.
 */
export function startFirstPlanner(): Promise<RunningPlanner> {
  const first = WorkerThread.start(0);
  first.catch(() => undefined); // the pool that takes it learns of it
  return (ahead = first);
}

/**
 * The process's own flags would count for each of its threads, and more than their limits do. Its main thread has read them
 * when it started.
 */
function forgetYoungGeneration(): void {
  setFlagsFromString('--min-semi-space-size=0');
  setFlagsFromString('--max-semi-space-size=0');
}

function failureOf(error: unknown): unknown {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? new PlannerOverstrained('planningMb', MAX_HEAP_MB, MAX_HEAP_MB + 1) : error;
}

/**
 * From source, the thread needs what runs TypeScript; compiled, nothing. What runs TypeScript reads all modules that are loaded after
 * it, those of packages too: the planner, which has hundreds, comes before it. That halves the time until the thread is ready.
 */
function programOf(niceness: number, youngHeapMb: number): [URL | string, WorkerOptions] {
  const resourceLimits = {
    maxOldGenerationSizeMb: MAX_HEAP_MB,
    maxYoungGenerationSizeMb: youngHeapMb,
  };
  if (!import.meta.url.endsWith('.ts'))
    return [new URL('./program.js', import.meta.url), { resourceLimits, workerData: niceness }];
  const { resolve } = createRequire(import.meta.url);
  const [planner, tsx] = [resolve('@apollo/query-planner'), resolve('tsx/cjs/api')].map(quoted);
  const program = quoted(fileURLToPath(new URL('./program.ts', import.meta.url)));
  return [
    `require(${planner}); require(${tsx}).register(); require(${program});`,
    { eval: true, execArgv: ['--conditions=trellis-source'], resourceLimits, workerData: niceness },
  ];
}

function quoted(path: string): string {
  return JSON.stringify(path);
}
