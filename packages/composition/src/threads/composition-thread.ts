import type { Worker } from 'node:worker_threads';
import type { Composition } from '../compose-supergraph.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { SatisfiabilityProof } from '../prove-satisfiability.ts';
import type {
  ComparisonTask,
  Composer,
  ComposerTask,
  CompositionReply,
  CompositionTask,
} from './messages.ts';
import { startProgram } from './start-program.ts';
import { TaskThread } from './task-thread.ts';

/** A composition takes longer than this only where it never ends. */
const DEADLINE_MS = 120_000;
const MAX_HEAP_MB = 2_048;
/**
 * Room for what composing makes and drops: collecting garbage takes a third of the time otherwise. The second composer, which no save
 * waits for, does without.
 */
const YOUNG_HEAP_MB = 192;

/** A composition, with the time that composing took. */
export interface TimedComposition {
  readonly composition: Composition;
  /** Milliseconds, without the start of the thread. */
  readonly durationMs: number;
}

/** A thread that composes, so that the one that serves goes on serving. One task after the other; it starts with the first, or before. */
export class CompositionThread {
  readonly #thread: TaskThread<ComposerTask, CompositionReply>;

  constructor(composer: Composer) {
    const start = (): Worker => startComposer(composer);
    this.#thread = new TaskThread({ name: 'composition', start, deadlineMs: DEADLINE_MS });
  }

  /** Starts the thread ahead of its first task, which then finds the composer loaded. */
  start(): void {
    this.#thread.start();
  }

  /**
   * Composes. What subgraph teams wrote wrong is in the result.
   *
   * @param signal ends it, and the thread with it
   * @throws ThreadEnded when the thread ends, takes longer than two minutes or was closed: the next task gets a new one
   */
  async compose(task: CompositionTask, signal?: AbortSignal): Promise<TimedComposition> {
    const reply = await this.#ask(task, signal);
    if (reply.kind === 'done') return reply;
    throw new Error('The composition thread returned no composition.');
  }

  /** Holds two compositions against each other. @returns what they differ in @throws Error as {@link compose} */
  async compare(task: ComparisonTask, signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    const reply = await this.#ask(task, signal);
    if (reply.kind === 'compared') return reply.differences;
    throw new Error('The composition thread returned no comparison.');
  }

  /** Proves a supergraph, as Apollo's composer printed it. @throws Error as {@link compose} */
  async prove(printed: string, signal?: AbortSignal): Promise<SatisfiabilityProof> {
    const reply = await this.#ask({ printed }, signal);
    if (reply.kind === 'proved') return reply.proof;
    throw new Error('The composition thread returned no proof.');
  }

  /** Ends the thread once its tasks are done, and gives its memory back. A later task gets a new one. */
  release(): Promise<void> {
    return this.#thread.release();
  }

  /** Ends the thread in the midst of what it does. Tasks that wait fail. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  async #ask(
    task: ComposerTask,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<CompositionReply, { kind: 'failed' }>> {
    const reply = await this.#thread.run(task, signal);
    if (reply.kind === 'failed') throw new Error(reply.message);
    return reply;
  }
}

const packages = {
  apollo: '@apollo/composition',
  guild: '@theguild/federation-composition',
} as const satisfies Readonly<Record<Composer, string>>;

function startComposer(composer: Composer): Worker {
  const [beside, library] = [import.meta.url, packages[composer]];
  return startProgram({
    beside,
    name: `${composer}-program`,
    library,
    maxHeapMb: MAX_HEAP_MB,
    ...(composer === 'apollo' && { youngHeapMb: YOUNG_HEAP_MB }),
  });
}
