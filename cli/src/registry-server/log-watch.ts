import { setTimeout as wait } from 'node:timers/promises';
import { formatLogName, RegistryError, type LogName } from '@trellis/registry';
import type { Logger } from '@trellis/runtime';
import { createOutageLog, type OutageLog } from '@trellis/runtime/outage-log';
import { registryLimits } from './registry-limits.ts';

/** How often logs are looked at while someone waits for a record. */
const POLL_MS = 250;

/** How many readers wait; others ask again. */
export interface WaitingReaderAmounts {
  /** @default 2,000 */
  readonly waiting?: number | undefined;
  /** Of one client. @default 200 */
  readonly waitingOfClient?: number | undefined;
}

interface Waiting {
  readonly log: LogName;
  readonly after: number;
  readonly client: string;
  readonly resolve: (head: number) => void;
}

/** Readers that wait for the next record of a log. However many wait, one question for all is asked at a time. */
export class LogWatch {
  readonly #readHeads: () => Promise<ReadonlyMap<string, number>>;
  readonly #outages: OutageLog;
  readonly #maxWaiting: number;
  readonly #maxWaitingOfClient: number;
  readonly #ofClients = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #isLooking = false;

  /**
   * @param readHeads the highest sequence of each log, by its name
   * @param logger says when the heads can not be read, and when they can be again
   */
  constructor(
    readHeads: () => Promise<ReadonlyMap<string, number>>,
    logger: Logger,
    {
      waiting = registryLimits.waitingReaders.amount,
      waitingOfClient = registryLimits.waitingReadersOfClient.amount,
    }: WaitingReaderAmounts = {},
  ) {
    this.#readHeads = readHeads;
    this.#outages = createOutageLog({
      logger,
      failure: 'heads of logs unavailable',
      success: 'heads of logs available again',
    });
    this.#maxWaiting = waiting;
    this.#maxWaitingOfClient = waitingOfClient;
  }

  /** Readers that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Waits until a log has a record beyond a sequence.
   *
   * @param signal ends the wait: of a time, or of a connection
   * @param client who waits
   * @returns its highest sequence; `after` where it has none in time
   * @throws RegistryError STORE_UNAVAILABLE where too many wait
   */
  async waitFor(log: LogName, after: number, signal: AbortSignal, client: string): Promise<number> {
    const ofClient = this.#ofClients.get(client) ?? 0;
    if (ofClient >= this.#maxWaitingOfClient)
      throw new RegistryError('STORE_UNAVAILABLE', 'Too many readers of this client wait. Ask again later.');
    if (this.#waiting.size >= this.#maxWaiting)
      throw new RegistryError('STORE_UNAVAILABLE', 'Too many readers wait. Ask again later.');
    if (signal.aborted) return after;
    return new Promise((resolve) => {
      const waiting = { log, after, client, resolve: (head: number) => this.#end(waiting, head, resolve) };
      signal.addEventListener('abort', () => waiting.resolve(after), { once: true });
      this.#waiting.add(waiting);
      this.#ofClients.set(client, ofClient + 1);
      void this.#look();
    });
  }

  #end(waiting: Waiting, head: number, resolve: (head: number) => void): void {
    if (!this.#waiting.delete(waiting)) return;
    const left = (this.#ofClients.get(waiting.client) ?? 1) - 1;
    if (left > 0) this.#ofClients.set(waiting.client, left);
    else this.#ofClients.delete(waiting.client);
    resolve(head);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#waiting.size > 0) {
      const heads = await this.#heads();
      for (const { log, after, resolve } of this.#waiting) {
        const head = heads.get(formatLogName(log)) ?? 0;
        if (head > after) resolve(head);
      }
      if (this.#waiting.size > 0) await wait(POLL_MS);
    }
    this.#isLooking = false;
  }

  /** A database that is gone is asked again: readers have deadlines of their own. */
  async #heads(): Promise<ReadonlyMap<string, number>> {
    try {
      const heads = await this.#readHeads();
      this.#outages.succeeded();
      return heads;
    } catch (error) {
      this.#outages.failed(error);
      return new Map();
    }
  }
}
