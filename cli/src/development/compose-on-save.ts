import { setTimeout as delay } from 'node:timers/promises';
import {
  CompositionThread,
  type Composition,
  type ReportedDiagnostic,
  type SubgraphSchema,
  type TimedComposition,
} from '@trellis/composition';

/** What becomes of a composition. The first supergraph is proved before it is served. */
export interface CompositionObserver {
  /** A supergraph is to be served. Resolves when it is; only then it is proved, as both take all of a processor. */
  readonly composed: (
    supergraphSdl: string,
    subgraphs: readonly SubgraphSchema[],
    durationMs: number,
  ) => Promise<void>;
  /** What is composed now has no supergraph; the one before stays. */
  readonly failed: (errors: readonly ReportedDiagnostic[], subgraphs: readonly SubgraphSchema[]) => void;
  /** Every query of the supergraph that is served has a plan. */
  readonly proved: (durationMs: number) => void;
  /** The supergraph that is served has queries without a plan: the last proved one is to be served again. */
  readonly disproved: (errors: readonly ReportedDiagnostic[], lastProved: string) => void;
  /** A composer broke. */
  readonly broke: (error: unknown) => void;
}

/** Settings of {@link ComposeOnSave}. */
export interface ComposeOnSaveOptions {
  /**
   * Milliseconds after which a proof begins: what is served is asked for at once, and where the next save comes first, none is made.
   * @default 250
   */
  readonly proveAfterMs?: number;
}

/**
 * Composes what changes, in two threads: one merges schemas, which a developer waits for; the other proves what was merged, which
 * takes several times longer, and lags behind without holding the next save up.
 */
export class ComposeOnSave {
  readonly #observer: CompositionObserver;
  readonly #proveAfterMs: number;
  readonly #merging = new CompositionThread('apollo');
  readonly #proving = new CompositionThread('apollo');
  readonly #closing = new AbortController();
  readonly #turns = new Map<CompositionThread, Promise<unknown>>();
  #number = 0;
  /** The number of what is served: only another supergraph makes its proof moot, and not what does not compose. */
  #served = 0;
  #toProve: (() => Promise<void>) | undefined;
  #isProving = false;
  #lastProved: string | undefined;

  constructor(observer: CompositionObserver, { proveAfterMs = 250 }: ComposeOnSaveOptions = {}) {
    this.#observer = observer;
    this.#proveAfterMs = proveAfterMs;
  }

  /** Composes. Resolves when the supergraph was merged, or can't be; never rejects. A later call makes an earlier one moot. */
  async compose(subgraphs: readonly SubgraphSchema[]): Promise<void> {
    this.#number += 1;
    const number = this.#number;
    if (this.#lastProved === undefined) return this.#composeFirst(subgraphs, number);
    const merged = await this.#run(
      this.#merging,
      { subgraphs, isProved: false },
      () => number !== this.#number,
    );
    if (!merged || number !== this.#number) return;
    const { composition, durationMs } = merged;
    if (composition.kind === 'failed') return this.#observer.failed(errorsOf(composition), subgraphs);
    this.#served = number;
    await this.#observer.composed(composition.supergraphSdl, subgraphs, durationMs);
    if (number !== this.#served) return;
    this.#toProve = () => this.#prove(subgraphs, number);
    void this.#proveNext();
  }

  /** Meanwhile the other thread loads its composer, and warms up. */
  async #composeFirst(subgraphs: readonly SubgraphSchema[], number: number): Promise<void> {
    if (number === 1) void this.#merging.compose({ subgraphs, isProved: false }).catch(() => undefined); // the other one reports
    const proved = await this.#run(this.#proving, { subgraphs }, () => number !== this.#number);
    if (!proved || number !== this.#number) return;
    const { composition, durationMs } = proved;
    if (composition.kind === 'failed') return this.#observer.failed(errorsOf(composition), subgraphs);
    this.#served = number;
    this.#lastProved = composition.supergraphSdl;
    await this.#observer.composed(composition.supergraphSdl, subgraphs, durationMs);
  }

  async close(): Promise<void> {
    this.#number += 1; // what still runs is of no use
    this.#served = 0;
    this.#toProve = undefined;
    this.#closing.abort();
    await Promise.all([this.#merging.close(), this.#proving.close()]);
  }

  /** Only the newest waits. */
  async #proveNext(): Promise<void> {
    if (this.#isProving) return;
    this.#isProving = true;
    for (let next = this.#toProve; next; next = this.#toProve) {
      this.#toProve = undefined;
      await next();
    }
    this.#isProving = false;
  }

  async #prove(subgraphs: readonly SubgraphSchema[], number: number): Promise<void> {
    await delay(this.#proveAfterMs, undefined, { signal: this.#closing.signal }).catch(() => undefined); // it is moot then
    const proved = await this.#run(this.#proving, { subgraphs }, () => number !== this.#served);
    if (!proved || number !== this.#served) return;
    const { composition, durationMs } = proved;
    if (composition.kind === 'failed')
      return this.#observer.disproved(errorsOf(composition), this.#lastProved ?? '');
    this.#lastProved = composition.supergraphSdl;
    this.#observer.proved(durationMs);
  }

  /** One after the other. What is moot when its turn comes is not composed: a change of branch is many saves. */
  async #run(
    thread: CompositionThread,
    task: CompositionTask,
    isMoot: () => boolean,
  ): Promise<TimedComposition | undefined> {
    const turn = this.#turns.get(thread) ?? Promise.resolve();
    const composed = turn.then(() => (isMoot() ? undefined : thread.compose(task)));
    this.#turns.set(
      thread,
      composed.catch(() => undefined), // reported below
    );
    try {
      return await composed;
    } catch (error) {
      if (!isMoot()) this.#observer.broke(error);
      return undefined;
    }
  }
}

type CompositionTask = Parameters<CompositionThread['compose']>[0];

function errorsOf({ errors }: Extract<Composition, { kind: 'failed' }>): readonly ReportedDiagnostic[] {
  return errors.map((error) => ({ ...error, severity: 'error' }));
}
