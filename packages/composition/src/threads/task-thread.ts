import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** A thread that is closed has so long to end. */
const CLOSE_MS = 5_000;

/** A thread ended, took too long, was aborted or closed: what it was asked for has no result. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** Settings of {@link TaskThread}. */
export interface TaskThreadOptions {
  /** In messages: `composition`. */
  readonly name: string;
  /** Starts a thread that sends one message for each that it gets. */
  readonly start: () => Worker;
  /** Milliseconds for a task. */
  readonly deadlineMs: number;
}

/**
 * A thread that does one task after the other. It starts with the first, and a task that ends it is the only one that fails: the next
 * gets a new one. Idle, it lets the process end.
 */
export class TaskThread<Task, Reply> {
  readonly #options: TaskThreadOptions;
  #worker: Worker | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: TaskThreadOptions) {
    this.#options = options;
  }

  /**
   * Starts the thread ahead of its first task, which then finds its program loaded. Idle, it lets the process end all the same. One that
   * the system does not start now is tried again by that task, which says why it fails.
   */
  start(): void {
    if (this.#isClosed || this.#worker) return;
    try {
      this.#worker = this.#start();
      this.#worker.unref();
    } catch {
      this.#worker = undefined;
    }
  }

  /**
   * Does a task when it is its turn.
   *
   * @param signal ends it, and the thread with it
   * @throws ThreadEnded; Error where the thread fails
   */
  run(task: Task, signal?: AbortSignal): Promise<Reply> {
    const done = this.#work.then(() => this.#ask(task, signal));
    this.#work = done.catch(() => undefined); // the caller has its own promise
    return done;
  }

  /** Ends the thread once its tasks are done, and gives its memory back. A later task gets a new one. */
  async release(): Promise<void> {
    this.#work = this.#work.then(() => this.#endInTime());
    await this.#work;
  }

  /** Ends the thread in the midst of what it does. Tasks that wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#endInTime();
  }

  /** A thread that waits for the operating system, as for a file that never comes, ends when that does: nothing else waits for it. */
  async #endInTime(): Promise<void> {
    const waited = new AbortController();
    const { signal } = waited;
    const late = wait(CLOSE_MS, undefined, { signal }).catch(() => undefined); // aborted below
    await Promise.race([this.#end(), late]);
    waited.abort();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #ask(task: Task, signal: AbortSignal | undefined): Promise<Reply> {
    const { name } = this.#options;
    if (this.#isClosed) throw new ThreadEnded(`The ${name} thread was closed.`);
    if (signal?.aborted) throw this.#aborted(signal);
    const worker = (this.#worker ??= this.#start());
    try {
      return await this.#reply(worker, task, signal);
    } catch (error) {
      if (this.#worker === worker) void this.#end();
      throw error;
    }
  }

  /** One that ends while it has nothing to do is forgotten: the next task gets a new one. */
  #start(): Worker {
    const worker = startQuietly(this.#options.start);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  #reply(worker: Worker, task: Task, signal: AbortSignal | undefined): Promise<Reply> {
    const { name, deadlineMs } = this.#options;
    return new Promise<Reply>((resolve, reject) => {
      const late = `The ${name} thread took longer than ${deadlineMs / 1000} s.`;
      const timer = setTimeout(() => settle(() => reject(new ThreadEnded(late))), deadlineMs);
      const receive = (reply: Reply): void => settle(() => resolve(reply));
      const fail = (error: unknown): void => settle(() => reject(this.#failure(error)));
      const end = (): void => fail(new ThreadEnded(`The ${name} thread has ended.`));
      const abort = (): void => signal && fail(this.#aborted(signal));
      const settle = (outcome: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        worker.off('message', receive).off('messageerror', fail).off('error', fail).off('exit', end);
        worker.unref(); // an idle thread lets the process end
        outcome();
      };
      worker.once('message', receive).once('messageerror', fail).once('error', fail).once('exit', end);
      signal?.addEventListener('abort', abort, { once: true });
      worker.ref();
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is about windows of a browser
        worker.postMessage(task);
      } catch (error) {
        fail(error);
      }
    });
  }

  #failure(error: unknown): Error {
    if (error instanceof ThreadEnded) return error;
    const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const { name } = this.#options;
    if (isMemory)
      return new ThreadEnded(`The ${name} thread needs more memory than it may have.`, { cause: error });
    return error instanceof Error ? error : new Error(String(error));
  }

  #aborted({ reason }: AbortSignal): ThreadEnded {
    return new ThreadEnded(`The ${this.#options.name} thread was aborted.`, { cause: reason });
  }
}

function startQuietly(start: () => Worker): Worker {
  const worker = start();
  worker.on('error', () => undefined); // a caller that waits has its own listener
  return worker;
}
