import { setTimeout as wait } from 'node:timers/promises';
import { formatLogName, RegistryError, type LogName } from '@trellis/registry';

/** How often logs are looked at while someone waits for a record. */
const POLL_MS = 250;
/** More readers than these do not wait: they ask again. */
const MAX_WAITING = 2_000;
/** Of one client. */
const MAX_WAITING_OF_CLIENT = 200;

interface Waiting {
  readonly log: LogName;
  readonly after: number;
  readonly client: string;
  readonly resolve: (head: number) => void;
}

/** Readers that wait for the next record of a log. However many wait, one question for all is asked at a time. */
export class LogWatch {
  readonly #readHeads: () => Promise<ReadonlyMap<string, number>>;
  readonly #maxWaiting: number;
  readonly #maxWaitingOfClient: number;
  readonly #ofClients = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #isLooking = false;

  /**
   * @param readHeads the highest sequence of each log, by its name
   * @param limits how many wait. @default 2,000, of which 200 of a client
   */
  constructor(
    readHeads: () => Promise<ReadonlyMap<string, number>>,
    {
      waiting = MAX_WAITING,
      waitingOfClient = MAX_WAITING_OF_CLIENT,
    }: { readonly waiting?: number | undefined; readonly waitingOfClient?: number | undefined } = {},
  ) {
    this.#readHeads = readHeads;
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
      // A database that is gone is asked again: readers have deadlines of their own.
      const heads = await this.#readHeads().catch(() => new Map<string, number>());
      for (const { log, after, resolve } of this.#waiting) {
        const head = heads.get(formatLogName(log)) ?? 0;
        if (head > after) resolve(head);
      }
      if (this.#waiting.size > 0) await wait(POLL_MS);
    }
    this.#isLooking = false;
  }
}
