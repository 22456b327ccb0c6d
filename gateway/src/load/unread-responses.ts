import { amountAt, ShareLimit, type LevelAmounts, type ShareKeys } from '@trellis/runtime/admission';
import { UnreadReader, type ReaderConnection, type UnreadBytes } from './unread-reader.ts';

/** How much clients may leave unread, and for how long. */
export interface UnreadRules {
  /** Bytes that wait for all clients together. */
  readonly totalBytes: number;
  /** Bytes that wait for one caller, and for each network around it. */
  readonly perCallerBytes: LevelAmounts;
  /** Bytes that a client reads in a second, on average. */
  readonly bytesPerSecond: number;
  /** Milliseconds for which a client may read nothing. */
  readonly stalledMs: number;
}

/**
 * Why a client was cut off: it reads too slowly (`slow`), its caller has more unread than a fair share (`share`), all clients
 * together have more unread than the process can hold (`total`), or another request needs its place (`place`).
 */
export type CutOffReason = 'slow' | 'share' | 'total' | 'place';

/** Settings of {@link UnreadResponses}. */
export interface UnreadResponsesOptions {
  /** Called for each slow consumer that is disconnected, for metrics. */
  readonly onCutOff?: (reason: CutOffReason) => void;
  /** Milliseconds on a clock that never goes back. @default performance.now */
  readonly now?: () => number;
}

const MAX_CHECK_MS = 1_000;
/** A client that may stand still for a moment only is looked at more often. */
const CHECKS_IN_STALL = 4;

/**
 * Counts what clients have been answered and have not read, for all of them together and for each caller. Beyond a bound the
 * slowest readers are cut off; so is, whatever waits, who reads more slowly than at a minimum rate. A client that is the only
 * one to leave anything unread may leave more than the bound: its response is what the limit of one response allows.
 */
export class UnreadResponses {
  #rules: UnreadRules;
  readonly #onCutOff: (reason: CutOffReason) => void;
  readonly #now: () => number;
  readonly #limit: ShareLimit;
  /**
   * Who has read all stays until the next check: a map that lives long allocates in V8's old generation when entries come and
   * go, and each large response would bring the next full garbage collection nearer.
   */
  readonly #readers = new Map<ReaderConnection, UnreadReader>();
  /** Readers for which something waits. */
  #clients = 0;
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;

  constructor(rules: UnreadRules, options: UnreadResponsesOptions = {}) {
    this.#rules = rules;
    this.#onCutOff = options.onCutOff ?? (() => undefined);
    this.#now = options.now ?? performance.now.bind(performance);
    this.#limit = new ShareLimit({ total: rules.totalBytes, perKey: rules.perCallerBytes });
  }

  /** From now on other rules hold. */
  set rules(rules: UnreadRules) {
    this.#rules = rules;
    this.#limit.resize({ total: rules.totalBytes, perKey: rules.perCallerBytes });
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = this.#startChecking();
  }

  get #checkMs(): number {
    return Math.min(MAX_CHECK_MS, Math.ceil(this.#rules.stalledMs / CHECKS_IN_STALL));
  }

  /** Bytes that wait now. */
  get bytes(): number {
    return this.#limit.held;
  }

  /** Clients for which something waits. */
  get clients(): number {
    return this.#clients;
  }

  /**
   * Watches what one writer leaves waiting on a connection.
   *
   * @param keysOf whose share it counts in; asked when something begins to wait
   * @param measure bytes that wait now
   */
  watch(connection: ReaderConnection, keysOf: () => ShareKeys, measure: () => number): UnreadBytes {
    let counted = 0;
    let reader: UnreadReader | undefined;
    const set = (bytes: number): void => {
      if (bytes === counted) return;
      if (counted === 0) reader = this.#readerOf(connection, keysOf);
      const change = bytes - counted;
      const held = reader && this.#holds(reader) ? reader : undefined; // who was cut off has nothing any more
      counted = held ? bytes : 0;
      if (held) this.#change(held, writer, change);
    };
    const writer = { update: () => set(measure()), end: () => set(0) };
    return writer;
  }

  /**
   * Cuts off the slowest of the clients that have read less than the minimum rate allows, so that what is held for it is free.
   *
   * @returns whether there was one
   */
  cutOffSlowest(): boolean {
    const slowest = slowestOf(this.#readers.values());
    if (!slowest || slowest.lagBytes === 0) return false;
    this.#cutOff(slowest, 'place');
    return true;
  }

  /** No timer is left behind. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** @returns nothing for a closed connection */
  #readerOf(connection: ReaderConnection, keysOf: () => ShareKeys): UnreadReader | undefined {
    const known = this.#readers.get(connection);
    if (known && known.bytes > 0) return known;
    if (connection.destroyed) return undefined;
    const reader = new UnreadReader(connection, keysOf());
    this.#readers.set(connection, reader);
    this.#timer ??= this.#startChecking();
    return reader;
  }

  #holds(reader: UnreadReader): boolean {
    return this.#readers.get(reader.connection) === reader;
  }

  #change(reader: UnreadReader, writer: UnreadBytes, bytes: number): void {
    if (reader.bytes === 0) this.#clients += 1;
    reader.writers.add(writer);
    reader.bytes += bytes;
    this.#limit.acquire(reader.keys, bytes);
    if (reader.bytes === 0) this.#settle(reader);
    else if (bytes > 0) this.#enforce(reader.keys);
  }

  /** It has read all: no reader is faster. */
  #settle(reader: UnreadReader): void {
    this.#clients -= 1;
    reader.lagBytes = 0;
    reader.writers.clear();
  }

  #enforce(keys: ShareKeys): void {
    const { totalBytes, perCallerBytes } = this.#rules;
    keys.forEach((key, level) => {
      while (this.#limit.heldBy(key) > amountAt(perCallerBytes, level)) if (!this.#cutOffOneOf(key)) break;
    });
    while (this.bytes > totalBytes && this.#clients > 1) {
      const slowest = slowestOf(this.#readers.values());
      if (!slowest) break;
      this.#cutOff(slowest, 'total');
    }
  }

  /** @returns false where one client alone has all of it */
  #cutOffOneOf(key: string): boolean {
    const readers = [...this.#readers.values()].filter(({ keys, bytes }) => bytes > 0 && keys.includes(key));
    const slowest = slowestOf(readers);
    if (!slowest || readers.length === 1) return false;
    this.#cutOff(slowest, 'share');
    return true;
  }

  #cutOff(reader: UnreadReader, reason: CutOffReason): void {
    if (!this.#holds(reader)) return;
    const { connection, keys, bytes } = reader;
    this.#readers.delete(connection);
    this.#clients -= 1;
    reader.bytes = 0;
    this.#limit.release(keys, bytes);
    connection.destroy();
    this.#onCutOff(reason);
  }

  /** Runs only while something waits: an idle process is left to sleep. */
  #startChecking(): NodeJS.Timeout {
    this.#checkedAt = this.#now();
    return setInterval(() => this.#check(), this.#checkMs).unref();
  }

  #check(): void {
    const { bytesPerSecond, stalledMs } = this.#rules;
    const elapsedMs = Math.min(this.#now() - this.#checkedAt, 2 * this.#checkMs); // a process that stood still has seen no client read
    this.#checkedAt = this.#now();
    for (const reader of this.#readers.values()) {
      for (const writer of reader.writers) writer.update();
      if (reader.connection.destroyed) for (const writer of reader.writers) writer.end();
      if (reader.bytes === 0) this.#readers.delete(reader.connection);
      if (!this.#holds(reader)) continue; // it has read all, disconnected, or was cut off for what it has more than before
      reader.fallBehind((elapsedMs * bytesPerSecond) / 1_000);
      if (reader.bytes > 0 && reader.lagBytes > (stalledMs * bytesPerSecond) / 1_000)
        this.#cutOff(reader, 'slow');
    }
    if (this.#readers.size === 0) this.close();
  }
}

/** Who lags behind most; of those who lag alike, who has most waiting. */
function slowestOf(readers: Iterable<UnreadReader>): UnreadReader | undefined {
  let slowest: UnreadReader | undefined;
  for (const reader of readers) if (!slowest || reader.isSlowerThan(slowest)) slowest = reader;
  return slowest;
}
