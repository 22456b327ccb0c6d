import type { RegistryRecord, RegistryStore, Variant, VerifiedHead } from '@trellis/registry';
import { observeOutages, type OutageLog } from '@trellis/runtime/outage-log';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { SupergraphStore } from '../supergraph/supergraph-store.ts';
import { LookPauses } from './look-pauses.ts';
import type { FollowOptions } from './follow-options.ts';
import { FollowedLog } from './followed-log.ts';
import { generationsOf, openGenerations, versionOf, type ServedGenerations } from './served-generations.ts';
import { RecordVerdicts } from './record-verdicts.ts';
import { RejectedHead } from './rejected-head.ts';
import { StoppedVariants, type Stop } from './stopped-variants.ts';

/** The generations that a registry has this gateway serve. */
export interface FollowedRegistry extends SupergraphStore {
  readonly served: ServedGenerations;
  readonly verdicts: Pick<RecordVerdicts, 'find'>;
  /** Variants that have stopped themselves. */
  readonly stops: readonly Stop[];
  /** Called after each record that is served, and each variant that stops. */
  onServed(listener: (served: ServedGenerations) => void): void;
  /** No longer serves a variant, here and after restarts, until a record starts it again. @returns whether it did */
  stopVariant(variant: Pick<Variant, 'name' | 'release'>): boolean;
  /** Stops what another follower of the log has stopped, which this one replaces. */
  takeStops(stops: readonly Stop[]): void;
  /** Looks at the registry now. */
  look(): Promise<void>;
  /** Ends the pause before the next look: another length holds from now on. */
  endPause(): void;
}

/** Milliseconds for a look at a registry, its texts and the warm-up included. */
const LOOK_DEADLINE_MS = 120_000;
/** The same at a start, where there is a copy on the disk. */
const START_DEADLINE_MS = 15_000;

/**
 * Follows the log of a graph in an environment, and serves what its head says. What is not verified, or can't be served, changes
 * nothing.
 *
 * @throws what is wrong, when there is nothing to serve: neither the registry nor the copy on the disk has a release that is good
 */
export async function followRegistry(options: FollowOptions): Promise<FollowedRegistry> {
  const followed = new Follower(options);
  await followed.start();
  return followed;
}

class Follower implements FollowedRegistry {
  readonly verdicts: RecordVerdicts;
  readonly #options: FollowOptions;
  readonly #log: FollowedLog;
  readonly #stopped: StoppedVariants;
  readonly #closing = new AbortController();
  readonly #retiring = new Set<(retired: readonly Supergraph[]) => void>();
  readonly #serving = new Set<(served: ServedGenerations) => void>();
  readonly #problemListeners = new Set<() => void>();
  readonly #problems: OutageLog;
  /** The last record that was verified and can be served. */
  #head: VerifiedHead | undefined;
  #problem: string | undefined;
  /** A registry that fails is asked at intervals, whether it can be waited for or not. */
  #isFailing = false;
  readonly #pauses: LookPauses;
  readonly #rejected = new RejectedHead();
  #served: ServedGenerations | undefined;
  #looks: Promise<void> = Promise.resolve();
  #polling: Promise<void> = Promise.resolve();

  constructor(options: FollowOptions) {
    this.#options = options;
    const { directory, log, observer } = options;
    this.verdicts = new RecordVerdicts(options.store, (sequence, error) =>
      observer.verdictFailed(sequence, error),
    );
    this.#log = new FollowedLog(options);
    this.#pauses = new LookPauses(options);
    this.#stopped = new StoppedVariants(directory, log, (error) => observer.copyFailed(error), options.stops);
    this.#problems = observeOutages({
      kindOf: reasonOf,
      begins: (error) => {
        observer.rejected(error);
        this.#say(reasonOf(error));
      },
      ends: () => this.#say(undefined),
    });
  }

  get served(): ServedGenerations {
    if (!this.#served) throw new Error('The registry was not read yet.');
    return this.#served;
  }

  get stops(): readonly Stop[] {
    return this.#stopped.stops;
  }

  current(): Supergraph {
    return this.served.main;
  }

  serves(supergraph: Supergraph): boolean {
    return generationsOf(this.served).has(supergraph);
  }

  onChange(listener: (retired: readonly Supergraph[]) => void): () => void {
    this.#retiring.add(listener);
    return () => this.#retiring.delete(listener);
  }

  problem(): string | undefined {
    return this.#problem;
  }

  onProblem(listener: () => void): () => void {
    this.#problemListeners.add(listener);
    return () => this.#problemListeners.delete(listener);
  }

  onServed(listener: (served: ServedGenerations) => void): void {
    this.#serving.add(listener);
  }

  async start(): Promise<void> {
    await this.#stopped.load();
    const copied = await this.#log.verifyCopy(this.#deadline());
    for (const { record } of copied) this.#follow(record);
    this.#head = copied.at(-1);
    const mayServeCopy = this.#head !== undefined && this.#options.mayServeCopy !== false;
    try {
      await this.#look(mayServeCopy ? START_DEADLINE_MS : LOOK_DEADLINE_MS);
    } catch (error) {
      if (!this.#head || !mayServeCopy) throw error;
      await this.#serveCopy(copied, this.#head);
      this.#problems.failed(error);
    }
    this.#polling = this.#poll();
  }

  look(): Promise<void> {
    this.#looks = this.#looks.then(() => this.#lookOnce());
    return this.#looks;
  }

  endPause(): void {
    this.#pauses.end();
  }

  stopVariant(variant: Pick<Variant, 'name' | 'release'>): boolean {
    const { record, variants } = this.served;
    if (
      !variants.some(
        ({ name, release }) => name === variant.name && release.digest === variant.release.digest,
      )
    )
      return false;
    this.#stopped.add(variant, record.sequence);
    this.#leaveOutStopped();
    return true;
  }

  takeStops(stops: readonly Stop[]): void {
    this.#stopped.take(stops);
    if (this.served.variants.some((one) => this.#stopped.has(one))) this.#leaveOutStopped();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#polling;
    await this.#looks;
    await this.#stopped.settled();
  }

  /** A kill may have left a head that was never served, and without its texts: then the newest that has them serves. */
  async #serveCopy(records: readonly VerifiedHead[], head: VerifiedHead): Promise<void> {
    const signal = this.#deadline();
    let reason: unknown;
    for (const one of records.toReversed()) {
      try {
        await this.#serve(one, signal, one === head ? undefined : this.#log.copies);
        this.#head = head; // no registry may go back behind it
        return;
      } catch (error) {
        reason ??= error;
        if (signal.aborted) break;
        this.#options.observer.copyFailed(notServed(one, error));
      }
    }
    throw reason;
  }

  async #poll(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#pauses.wait(this.#head?.record.sequence ?? 0, this.#isFailing, this.#closing.signal);
      await this.look();
    }
  }

  async #lookOnce(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#isFailing = true;
    try {
      await this.#look();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#problems.failed(error);
    }
  }

  /** @throws where the registry can't be read, or says what can't be served */
  async #look(deadlineMs: number = LOOK_DEADLINE_MS): Promise<void> {
    const signal = this.#deadline(deadlineMs);
    const read = await this.#log.read(this.#head, signal);
    const { head, added } = read;
    const isNew = head.record.sequence !== this.#served?.record.sequence;
    if (isNew) {
      for (const { record } of added) this.#follow(record);
      await this.#rejected.unless(head, () => this.#serve(head, signal));
    }
    await this.#log.copy(read, isNew, signal);
    this.#problems.succeeded();
    this.#options.observer.checked();
  }

  #follow(record: RegistryRecord): void {
    this.#stopped.follow(record);
    this.verdicts.follow(record);
    this.#options.observer.verified(record);
  }

  /** @param stores where texts are read, the nearest first */
  async #serve(
    head: VerifiedHead,
    signal: AbortSignal,
    stores: readonly RegistryStore[] = [...this.#log.copies, this.#options.store],
  ): Promise<void> {
    const { record } = head;
    const allowed = { record, variants: this.#stopped.allowedIn(record) };
    const opened = await openGenerations(allowed, this.#served, { ...this.#options, stores }, signal);
    if (this.#closing.signal.aborted) return this.#retireUnserved(opened);
    this.#head = head;
    this.#swap({ ...opened, variants: opened.variants.filter((one) => !this.#stopped.has(one)) }); // while it was prepared
    this.#options.observer.serving(this.served);
  }

  #swap(next: ServedGenerations): void {
    const before = this.#served;
    this.#served = next;
    const version = versionOf(next);
    for (const { name, supergraph } of next.variants) supergraph.serveAs(`${version}/${name}`);
    next.main.serveAs(version);
    for (const listener of this.#serving) listener(next);
    const retired = before ? [...generationsOf(before)].filter((one) => !this.serves(one)) : [];
    if (retired.length > 0) for (const listener of this.#retiring) listener(retired);
  }

  #leaveOutStopped(): void {
    const { variants } = this.served;
    this.#swap({ ...this.served, variants: variants.filter((one) => !this.#stopped.has(one)) });
    this.#options.observer.stopped(this.served);
  }

  /** No one will use what was opened while it was closed. */
  #retireUnserved(opened: ServedGenerations): void {
    for (const one of generationsOf(opened))
      if (!this.#served || !this.serves(one)) this.#options.retire(one);
  }

  #say(problem: string | undefined): void {
    this.#problem = problem;
    for (const listener of this.#problemListeners) listener();
  }

  #deadline(deadlineMs: number = LOOK_DEADLINE_MS): AbortSignal {
    const { signal = this.#closing.signal } = this.#options;
    return AbortSignal.any([this.#closing.signal, signal, AbortSignal.timeout(deadlineMs)]);
  }
}

function notServed({ record }: VerifiedHead, cause: unknown): Error {
  const text = `Record ${record.sequence} cannot be served from the copy: ${reasonOf(cause)}`;
  return new Error(text, { cause });
}

/** A problem is reported once for each of its messages. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
