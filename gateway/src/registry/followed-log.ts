import {
  formatLogName,
  RegistryError,
  verifyLog,
  type LogName,
  type RegistryStore,
  type TrustedKeys,
  type VerifiedHead,
  type VerifiedRecord,
} from '@trellis/registry';
import { observeOutages, type OutageLog } from '@trellis/runtime/outage-log';
import { LastGoodRelease } from './last-good-release.ts';

/** Settings of {@link FollowedLog}. */
interface FollowedLogOptions {
  readonly store: RegistryStore;
  readonly log: LogName;
  readonly trust: TrustedKeys;
  /** Where the copy is. Absent: nowhere. */
  readonly directory: string | undefined;
  readonly contract?: string | undefined;
  readonly observer: {
    /** The copy could not be read, or not be written. Called once for each reason. */
    copyFailed(error: unknown): void;
  };
}

interface VerifiedLog {
  readonly head: VerifiedHead;
  /** Those that were read, the oldest first. */
  readonly records: readonly VerifiedRecord[];
}

/** What of a log is new. */
interface ReadLog extends VerifiedLog {
  /** Those of them that were not seen before. */
  readonly added: readonly VerifiedRecord[];
}

/** A log that was verified from its beginning. */
interface WholeLog {
  readonly first: VerifiedRecord;
  readonly head: VerifiedHead;
}

/** The log of a registry, and its copy on the disk: what was seen in one must be in the other. */
export class FollowedLog {
  readonly #options: FollowedLogOptions;
  readonly #copy: LastGoodRelease | undefined;
  readonly #failures: OutageLog;
  /** The newest good record of a damaged copy: the log is verified from its beginning, and must have it. */
  #floor: VerifiedHead | undefined;
  /** Up to where that was done: a head that can't be served is looked at again and again. */
  #whole: WholeLog | undefined;
  /** Whether the copy has what is served. */
  #isCopied = true;

  constructor(options: FollowedLogOptions) {
    this.#options = options;
    const { directory, log, contract, observer } = options;
    this.#copy = directory === undefined ? undefined : new LastGoodRelease(directory, log, contract);
    this.#failures = observeOutages({
      kindOf: (error) => (error instanceof Error ? error.message : String(error)),
      begins: (error) => observer.copyFailed(error),
      ends: () => undefined,
    });
  }

  /** Where texts are read that are on the disk. */
  get copies(): readonly RegistryStore[] {
    return this.#copy ? [this.#copy.store] : [];
  }

  /** What is damaged is no reason not to start: the registry may be there. @returns the oldest first */
  async verifyCopy(signal: AbortSignal): Promise<readonly VerifiedHead[]> {
    try {
      const copy = await this.#copy?.verify(this.#options.trust, signal);
      if (!copy) return [];
      if (copy.damage) {
        this.#floor = copy.records.at(-1);
        this.#isCopied = false;
        this.#options.observer.copyFailed(copy.damage);
      }
      return copy.records;
    } catch (error) {
      this.#options.observer.copyFailed(error);
      return [];
    }
  }

  /**
   * Reads the registry to its head.
   *
   * @param from what was verified before
   * @throws RegistryError REWRITTEN where the log does not have what was seen before; those of `verifyLog`
   */
  async read(from: VerifiedHead | undefined, signal: AbortSignal): Promise<ReadLog> {
    const whole = this.#whole;
    const read = await this.#verify(this.#floor ? whole?.head : from, signal);
    if (!whole) this.#checkFloor(read.records);
    const [first = read.head] = whole ? [whole.first] : read.records;
    if (this.#floor) this.#whole = { first, head: read.head };
    const seen = from?.record.sequence ?? 0;
    return {
      head: read.head,
      // The copy needs all from the first on: it reads those between.
      records: whole ? [first, ...read.records] : read.records,
      added: read.records.filter(({ record }) => record.sequence > seen),
    };
  }

  /** A log that lacks what was verified is read from its beginning at the next look. */
  async #verify(from: VerifiedHead | undefined, signal: AbortSignal): Promise<VerifiedLog> {
    const { store, log, trust } = this.#options;
    const records: VerifiedRecord[] = [];
    const onRecord = (verified: VerifiedRecord): void => void records.push(verified);
    try {
      const head = await verifyLog(store, log, trust, { from, onRecord, signal });
      if (head) return { head, records };
    } catch (error) {
      if (error instanceof RegistryError && error.code === 'REWRITTEN') this.#whole = undefined;
      throw error;
    }
    throw new RegistryError('NOT_FOUND', `${formatLogName(log)} in ${store.description} has no release.`);
  }

  /**
   * Copies what is served from now on. What could not be copied is tried again each time.
   *
   * @param isNew whether the head was not served before
   */
  async copy({ head, records }: ReadLog, isNew: boolean, signal: AbortSignal): Promise<void> {
    this.#floor = undefined;
    this.#whole = undefined;
    if (isNew) this.#isCopied = false;
    if (this.#isCopied) return;
    try {
      await this.#copy?.replace(this.#options.store, { records, head }, signal);
      this.#isCopied = true;
      this.#failures.succeeded();
    } catch (error) {
      this.#failures.failed(error);
    }
  }

  #checkFloor(records: readonly VerifiedRecord[]): void {
    const floor = this.#floor;
    if (!floor || records.some(({ jws }) => jws === floor.jws)) return;
    const name = formatLogName(this.#options.log);
    throw new RegistryError(
      'REWRITTEN',
      `Record ${floor.record.sequence} of ${name} is not in ${this.#options.store.description} as it was seen before.`,
    );
  }
}
