import { observeOutages, type OutageLog } from '@trellis/runtime/outage-log';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { buildSupergraph, identifySupergraph, InvalidSupergraph } from './build-supergraph.ts';
import { createFileSource, type SupergraphSource, createUrlSource } from './supergraph-source.ts';
import { createSubgraphsSource } from './subgraphs-source.ts';
import type { SubgraphEndpoint, Supergraph, SupergraphText } from './supergraph.ts';

/** Where the current supergraph is to be had. */
export interface SupergraphStore {
  /** The generation that new operations begin with. */
  current(): Supergraph;
  /** Why what came after the current generation was rejected; undefined where nothing was. */
  problem(): string | undefined;
  /** Whether new operations may begin on a generation: on the current one, and on those beside it. */
  serves(supergraph: Supergraph): boolean;
  /** Called after each swap with the generations that no longer serve. @returns ends it */
  onChange(listener: (retired: readonly Supergraph[]) => void): () => void;
  /** Called when a problem begins or ends. @returns ends it */
  onProblem(listener: () => void): () => void;
  close(): Promise<void>;
}

/** What the store reports to its host, for logs and metrics. */
export interface SupergraphObserver {
  /** A generation serves: the first one, and each that takes the place of another. */
  serving(supergraph: Supergraph): void;
  /** The first text can't be read yet, and is retried. Called once for each reason. */
  waiting?(source: string, error: Error): void;
  /** A text was rejected, or could not be read: the generation before goes on serving. Called once for each text. */
  rejected(source: string, error: Error): void;
}

/** Settings of {@link createSupergraphStore}: exactly one of `source`, `file`, `url`, `subgraphs`. */
export interface SupergraphStoreOptions {
  /** One in this process. */
  readonly source?: SupergraphSource | undefined;
  /** Path of a supergraph file. */
  readonly file?: string | undefined;
  /** Address of a supergraph, http or https. */
  readonly url?: string | undefined;
  /** Running subgraphs to compose, in development. */
  readonly subgraphs?: readonly SubgraphEndpoint[] | undefined;
  /** Replaces the addresses in the supergraph, by the subgraph's name. */
  readonly subgraphUrls?: Readonly<Record<string, string>> | undefined;
  /** How long the first supergraph may be waited for, milliseconds. @default what fits its source, 0 for files and URLs */
  readonly patienceMs?: number | undefined;
  /** Polling interval where no watcher reports changes, milliseconds. @default what fits its source, 5000 for files and URLs */
  readonly pollMs?: number | undefined;
  /**
   * Begins with what can be done beside building a generation, in other threads: of texts that are composed in this process.
   *
   * @returns ends its hold on what was begun, once the generation serves or was rejected
   */
  readonly prepare?: ((next: SupergraphText) => () => void) | undefined;
  /** Prepares a generation before it serves, the first one too. Where it rejects, the generation is invalid. */
  readonly warm?: ((next: Supergraph) => Promise<void>) | undefined;
  readonly observer?: SupergraphObserver | undefined;
}

const POLL_MS = 5000;
const FIRST_READING_AGAIN_MS = 250;

const SETTLE_MS = 50;

/**
 * Loads the supergraph and keeps it current. A broken text never replaces a good one.
 *
 * @throws InvalidSupergraph when there is no first supergraph to serve
 */
export async function createSupergraphStore(options: SupergraphStoreOptions): Promise<SupergraphStore> {
  const source = sourceOf(options);
  const closing = new AbortController();
  const first = await readFirst(source, options, closing.signal);
  await options.warm?.(first.supergraph);
  options.observer?.serving(first.supergraph);
  source.serving?.(first.text);
  return new WatchingStore(source, first, options, closing);
}

interface FirstReading {
  readonly text: string;
  readonly supergraph: Supergraph;
}

async function readFirst(
  source: SupergraphSource,
  options: SupergraphStoreOptions,
  signal: AbortSignal,
): Promise<FirstReading> {
  const lastTryAt = performance.now() + (options.patienceMs ?? source.patienceMs ?? 0);
  const outages = observeOutages({
    kindOf: messageOf,
    begins: (error) => options.observer?.waiting?.(source.description, asError(error)),
  });
  for (;;) {
    try {
      return await readOnce(source, options, signal);
    } catch (error) {
      const cause = asError(error);
      if (cause instanceof InvalidSupergraph || performance.now() >= lastTryAt)
        throw new InvalidSupergraph(
          `The supergraph at ${source.description} can't be served. ${cause.message}`,
          { cause },
        );
      outages.failed(cause);
    }
    await delay(FIRST_READING_AGAIN_MS, undefined, { signal });
  }
}

async function readOnce(
  source: SupergraphSource,
  options: SupergraphStoreOptions,
  signal: AbortSignal,
): Promise<FirstReading> {
  const text = await source.read(signal);
  if (text === undefined) throw new InvalidSupergraph('There is nothing.');
  return { text, supergraph: build(text, source, options) };
}

function build(
  text: string,
  { isComposedHere }: SupergraphSource,
  { subgraphUrls }: SupergraphStoreOptions,
): Supergraph {
  return buildSupergraph(text, { subgraphUrls, isComposedHere });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function sourceOf({ source, file, url, subgraphs }: SupergraphStoreOptions): SupergraphSource {
  if (source !== undefined) return source;
  if (file !== undefined) return createFileSource(file);
  if (url !== undefined) return createUrlSource(url);
  if (subgraphs !== undefined) return createSubgraphsSource(subgraphs);
  throw new TypeError('A supergraph store needs a source, a file, a URL or subgraphs.');
}

class WatchingStore implements SupergraphStore {
  readonly #source: SupergraphSource;
  readonly #options: SupergraphStoreOptions;
  readonly #closing: AbortController;
  readonly #listeners = new Set<(retired: readonly Supergraph[]) => void>();
  readonly #problemListeners = new Set<() => void>();
  readonly #unwatch: (() => void) | undefined;
  readonly #poll: NodeJS.Timeout;
  #current: Supergraph;
  #lastText: string;
  /** Not where the last text was rejected. */
  #isLastServed = true;
  readonly #problems: OutageLog;
  #problem: string | undefined;
  #settling: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(
    source: SupergraphSource,
    first: FirstReading,
    options: SupergraphStoreOptions,
    closing: AbortController,
  ) {
    this.#source = source;
    this.#options = options;
    this.#closing = closing;
    this.#current = first.supergraph;
    this.#lastText = first.text;
    this.#problems = observeOutages({
      kindOf: messageOf,
      begins: (error) => {
        options.observer?.rejected(source.description, asError(error));
        this.#setProblem(messageOf(error));
      },
      ends: () => this.#setProblem(undefined),
    });
    this.#unwatch = source.watch?.(() => this.#settle());
    this.#poll = setInterval(() => this.#enqueue(), options.pollMs ?? source.pollMs ?? POLL_MS);
    this.#poll.unref();
  }

  current(): Supergraph {
    return this.#current;
  }

  problem(): string | undefined {
    return this.#problem;
  }

  serves(supergraph: Supergraph): boolean {
    return supergraph === this.#current;
  }

  onChange(listener: (retired: readonly Supergraph[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onProblem(listener: () => void): () => void {
    this.#problemListeners.add(listener);
    return () => this.#problemListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#unwatch?.();
    clearInterval(this.#poll);
    clearTimeout(this.#settling);
    await this.#work;
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#enqueue(), this.#source.settleMs ?? SETTLE_MS);
    this.#settling.unref();
  }

  /** One after the other: a slow build is never overtaken by a newer one and then put in its place. */
  #enqueue(): void {
    this.#work = this.#work.then(() => this.#reload());
  }

  async #reload(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    try {
      const text = await this.#source.read(this.#closing.signal);
      const isSame = text === undefined || text === this.#lastText;
      if (!isSame || this.#isLastServed) this.#problems.succeeded(); // it can be read again
      if (isSame) return;
      [this.#lastText, this.#isLastServed] = [text, false];
      await this.#buildAndSwap(text);
      this.#isLastServed = true;
      this.#source.serving?.(text);
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#problems.failed(error);
    }
  }

  async #buildAndSwap(text: string): Promise<void> {
    const { prepare, subgraphUrls } = this.#options;
    const release = this.#source.isComposedHere && prepare?.(identifySupergraph(text, { subgraphUrls }));
    if (release) await nextTurn(); // what was begun reaches its thread before building takes this one
    try {
      await this.#swap(build(text, this.#source, this.#options));
    } finally {
      if (release) release();
    }
  }

  #setProblem(problem: string | undefined): void {
    this.#problem = problem;
    for (const listener of this.#problemListeners) listener();
  }

  async #swap(next: Supergraph): Promise<void> {
    const previous = this.#current;
    if (next.hash === previous.hash) return;
    await this.#options.warm?.(next);
    this.#current = next;
    this.#options.observer?.serving(next);
    for (const listener of this.#listeners) listener([previous]);
  }
}

/** A problem is reported once for each of its messages. */
function messageOf(error: unknown): string {
  return asError(error).message;
}
