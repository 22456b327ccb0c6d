import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { createRandom } from '@trellis/testkit/random';

/** What was seen of a canary. */
export interface SeenCanary {
  /** From its first response to its last. */
  readonly seconds: number;
  /** Callers that it responded to. */
  readonly met: number;
  /** Callers that had a response, of any version, in that time. */
  readonly present: number;
}

interface Watch {
  firstMs: number | undefined;
  lastMs: number;
  /** Callers since the first response of the canary. */
  readonly present: Set<number>;
  /** How many these were at its last. */
  presentAtLast: number;
  readonly met: Set<number>;
}

/** Addresses that requests come from, each as often. */
export const CALLERS = 5_000;
/** Without a response of the canary for so long, it is gone. */
const IDLE_WINDOW_MS = 3_000;
/** What is in flight has come back. */
const IN_FLIGHT_MS = 500;

/** Clients at many addresses, who ask for what there is. */
export class RolloutClient {
  /** The highest sequence that a response has named. */
  servedSequence = 0;
  readonly #pool: Pool;
  readonly #random: () => number;
  #fields: readonly string[] = ['name'];
  #watch: Watch | undefined;

  constructor(url: string, seed: number) {
    this.#pool = new Pool(url, { connections: 64 });
    this.#random = createRandom(seed).next;
  }

  /** Asks for one more field. */
  also(field: string): void {
    this.#fields = [...this.#fields, field];
  }

  without(field: string): void {
    this.#fields = this.#fields.filter((one) => one !== field);
  }

  /** What was asked before has been answered. */
  async settled(): Promise<void> {
    await sleep(IN_FLIGHT_MS);
  }

  watchCanary(): void {
    this.#watch = { firstMs: undefined, lastMs: 0, present: new Set(), presentAtLast: 0, met: new Set() };
  }

  /** @throws Error where it is still served at the end */
  async canaryGone(withinMs: number): Promise<SeenCanary> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const { firstMs, lastMs, met, presentAtLast = 0 } = this.#watch ?? {};
      if (firstMs !== undefined && lastMs !== undefined && performance.now() - lastMs > IDLE_WINDOW_MS)
        return { seconds: (lastMs - firstMs) / 1_000, met: met?.size ?? 0, present: presentAtLast };
      if (performance.now() > deadline) throw new Error('The bad version is not gone.');
      await sleep(50);
    }
  }

  /** Rejects where a request fails that no canary has served. */
  async send(): Promise<void> {
    const caller = Math.floor(this.#random() * CALLERS);
    const fields = this.#fields;
    const { statusCode, headers, body } = await this.#pool.request({
      path: '/graphql',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `10.1.${Math.floor(caller / 250)}.${caller % 250}`,
      },
      body: JSON.stringify({ query: `{ items { id ${fields.join(' ')} } }` }),
    });
    const text = await body.text();
    const [, sequence, variant] =
      /^production\.(\d+)(\/canary)?$/.exec(String(headers['trellis-supergraph'])) ?? [];
    this.servedSequence = Math.max(this.servedSequence, Number(sequence ?? 0));
    this.#see(caller, variant !== undefined);
    if (variant === undefined && (statusCode !== 200 || text !== expected(fields)))
      throw new Error(`${statusCode} ${text.slice(0, 300)}`);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #see(caller: number, isCanary: boolean): void {
    const watch = this.#watch;
    if (!watch || (!isCanary && watch.firstMs === undefined)) return;
    watch.present.add(caller);
    if (!isCanary) return;
    watch.firstMs ??= performance.now();
    watch.lastMs = performance.now();
    watch.met.add(caller);
    watch.presentAtLast = watch.present.size;
  }
}

function expected(fields: readonly string[]): string {
  const items = ['1', '2', '3'].map((id) => ({
    id,
    ...Object.fromEntries(fields.map((field) => [field, `${field === 'title' ? 'name' : field} ${id}`])),
  }));
  return JSON.stringify({ data: { items } });
}
