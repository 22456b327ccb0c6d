import { FairQueue, type ServedItem } from '@trellis/runtime/admission';
import { RegistryError } from '@trellis/registry';
import { registryLimits } from './registry-limits.ts';

interface Waiting {
  readonly begin: () => void;
  readonly displace: () => void;
}

/** Changes of logs, one after the other, as composing takes memory. Each client has its share of the time, however many changes another has waiting. */
export class ChangeQueue {
  readonly #queue = new FairQueue<Waiting>({
    maxWaiting: registryLimits.waitingChanges.amount,
    maxWaitingPerKey: [registryLimits.waitingChangesOfClient.amount],
    onDisplaced: ({ displace }) => displace(),
  });
  #current: ServedItem<Waiting> | undefined;

  /**
   * Runs a change when it is its turn.
   *
   * @param client whose change it is
   * @throws RegistryError STORE_UNAVAILABLE where too many wait
   */
  async run<Result>(client: string, change: () => Promise<Result>): Promise<Result> {
    await this.#turn(client);
    const startedAt = performance.now();
    try {
      return await change();
    } finally {
      this.#current?.done(performance.now() - startedAt);
      this.#current = undefined;
      this.#next();
    }
  }

  #turn(client: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const tooMany = (whose: string): RegistryError =>
        new RegistryError('STORE_UNAVAILABLE', `Too many changes ${whose} wait. Try again later.`);
      const item = { begin: resolve, displace: () => reject(tooMany('of this client')) };
      const caller = { keys: [`client:${client}`] as const, isKnown: true };
      const place = this.#queue.add(item, caller);
      if (typeof place === 'string') reject(tooMany(place === 'share' ? 'of this client' : ''));
      else this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    this.#current = this.#queue.next();
    this.#current?.item.begin();
  }
}
