import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { Composition } from '../compose-supergraph.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { ComparisonTask, CompositionReply, CompositionTask, Composer } from './messages.ts';

/** A composition takes longer than this only where it never ends. */
const DEADLINE_MS = 120_000;
const MAX_HEAP_MB = 2_048;
/** Room for what composing makes and drops: collecting garbage takes a third of the time otherwise. */
const YOUNG_HEAP_MB = 192;

/** A composition, with the time that composing took. */
export interface TimedComposition {
  readonly composition: Composition;
  /** Milliseconds, without the start of the thread. */
  readonly durationMs: number;
}

/** A thread that composes, so that the one that serves goes on serving. One task after the other; it starts with the first. */
export class CompositionThread {
  readonly #composer: Composer;
  #worker: Worker | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(composer: Composer) {
    this.#composer = composer;
  }

  /**
   * Composes. What subgraph teams wrote wrong is in the result.
   *
   * @throws Error when the thread ends, or takes longer than two minutes: the next task gets a new one; when it was closed
   */
  async compose(task: CompositionTask): Promise<TimedComposition> {
    const reply = await this.#queue(task);
    if (reply.kind === 'done') return reply;
    throw new Error('The composition thread returned no composition.');
  }

  /** Holds two compositions against each other. @returns what they differ in @throws Error as {@link compose} */
  async compare(task: ComparisonTask): Promise<readonly Diagnostic[]> {
    const reply = await this.#queue(task);
    if (reply.kind === 'compared') return reply.differences;
    throw new Error('The composition thread returned no comparison.');
  }

  /** Ends the thread in the midst of what it does. Tasks that wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #queue(task: CompositionTask | ComparisonTask): Promise<CompletedReply> {
    const done = this.#work.then(() => this.#ask(task));
    this.#work = done.catch(() => undefined); // the caller has its own promise
    return done;
  }

  async #ask(task: CompositionTask | ComparisonTask): Promise<CompletedReply> {
    if (this.#isClosed) throw new Error('The composition thread was closed.');
    const worker = (this.#worker ??= startThread(this.#composer));
    try {
      return await nextReply(worker, task);
    } catch (error) {
      if (this.#worker === worker) await this.#end();
      throw error;
    }
  }
}

type CompletedReply = Exclude<CompositionReply, { kind: 'failed' }>;

function nextReply(worker: Worker, task: CompositionTask | ComparisonTask): Promise<CompletedReply> {
  const { promise, resolve, reject } = withResolvers<CompletedReply>();
  const timer = setTimeout(
    () => reject(new Error(`Composing took longer than ${DEADLINE_MS / 1000} s.`)),
    DEADLINE_MS,
  );
  const receive = (reply: CompositionReply): void => {
    if (reply.kind === 'failed') reject(new Error(reply.message));
    else resolve(reply);
  };
  const fail = (error: Error): void => reject(error);
  const end = (): void => reject(new Error('The composition thread has ended.'));
  worker.once('message', receive).once('error', fail).once('exit', end);
  worker.ref();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is about windows of a browser
  worker.postMessage(task);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', receive).off('error', fail).off('exit', end);
    worker.unref(); // an idle thread lets the process end
  });
}

interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;
}

function withResolvers<T>(): Resolvers<T> {
  let resolvers: Omit<Resolvers<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => (resolvers = { resolve, reject }));
  return { promise, ...(resolvers as Omit<Resolvers<T>, 'promise'>) }; // set by the constructor
}

const packages = {
  apollo: '@apollo/composition',
  guild: '@theguild/federation-composition',
} as const satisfies Readonly<Record<Composer, string>>;

/** From source, what runs TypeScript comes after the composer: it reads every module that is loaded later. */
function startThread(composer: Composer): Worker {
  const worker = new Worker(...programOf(composer));
  worker.on('error', () => undefined); // a caller that waits has its own listener
  return worker;
}

function programOf(composer: Composer): [URL | string, WorkerOptions] {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB };
  if (!import.meta.url.endsWith('.ts'))
    return [new URL(`./${composer}-program.js`, import.meta.url), { resourceLimits }];
  const { resolve } = createRequire(import.meta.url);
  const [library, tsx] = [resolve(packages[composer]), resolve('tsx/cjs/api')].map((path) =>
    JSON.stringify(path),
  );
  const program = JSON.stringify(fileURLToPath(new URL(`./${composer}-program.ts`, import.meta.url)));
  return [
    `require(${library}); require(${tsx}).register(); require(${program});`,
    { eval: true, execArgv: ['--conditions=trellis-source'], resourceLimits },
  ];
}
