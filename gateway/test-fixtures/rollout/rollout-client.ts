import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { createRandom } from '../../src/testing/simulate-canary.ts';

/** What was seen of a canary. */
export interface SeenCanary {
  /** From its first response to its last. */
  readonly seconds: number;
  /** Of the requests in that time, those that it served. */
  readonly share: number;
}

interface Watch {
  firstMs: number | undefined;
  lastMs: number;
  /** Requests since the first response of the canary, and until its last. */
  requests: number;
  requestsAtLast: number;
  ofCanary: number;
}

const CALLERS = 5_000;
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
    this.#random = createRandom(seed);
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
    this.#watch = { firstMs: undefined, lastMs: 0, requests: 0, requestsAtLast: 0, ofCanary: 0 };
  }

  /** @throws Error where it is still served at the end */
  async canaryGone(withinMs: number): Promise<SeenCanary> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const { firstMs, lastMs, ofCanary, requestsAtLast } = this.#watch ?? {};
      if (firstMs !== undefined && lastMs !== undefined && performance.now() - lastMs > IDLE_WINDOW_MS)
        return { seconds: (lastMs - firstMs) / 1_000, share: (ofCanary ?? 0) / (requestsAtLast || 1) };
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
    this.#see(variant !== undefined);
    if (variant === undefined && (statusCode !== 200 || text !== expected(fields)))
      throw new Error(`${statusCode} ${text.slice(0, 300)}`);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #see(isCanary: boolean): void {
    const watch = this.#watch;
    if (!watch || (!isCanary && watch.firstMs === undefined)) return;
    watch.requests += 1;
    if (!isCanary) return;
    watch.firstMs ??= performance.now();
    watch.lastMs = performance.now();
    watch.requestsAtLast = watch.requests;
    watch.ofCanary += 1;
  }
}

function expected(fields: readonly string[]): string {
  const items = ['1', '2', '3'].map((id) => ({
    id,
    ...Object.fromEntries(fields.map((field) => [field, `${field === 'title' ? 'name' : field} ${id}`])),
  }));
  return JSON.stringify({ data: { items } });
}
