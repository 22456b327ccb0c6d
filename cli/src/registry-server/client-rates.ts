import type { Pool } from '@trellis/postgres';
import type { Logger } from '@trellis/runtime';
import { registryLimits } from './registry-limits.ts';
import { RequestNotTaken } from './request-not-taken.ts';
import { SharedAllowance } from './shared-allowance.ts';

/** What all servers of a registry together take of a client. */
export interface ClientRateAmounts {
  /** Two hundred a second: a gateway that starts reads a record a request. @default 12,000 */
  readonly requestsPerMinute?: number | undefined;
  /** Twenty a second, more than are composed. @default 1,200 */
  readonly changesPerMinute?: number | undefined;
}

/** A server takes a twentieth of the requests at once. */
const LEASES = 20;

/** How often each client may come, to whichever server. */
export class ClientRates {
  readonly #requests: SharedAllowance;
  readonly #changes: SharedAllowance;

  constructor(
    pool: Pool,
    {
      requestsPerMinute = registryLimits.requestsPerMinute.amount,
      changesPerMinute = registryLimits.changesPerMinute.amount,
    }: ClientRateAmounts = {},
    logger?: Logger,
  ) {
    const places = { pool, ...(logger && { logger }) };
    const maxLease = Math.max(1, Math.floor(requestsPerMinute / LEASES));
    this.#requests = new SharedAllowance({
      ...places,
      kind: 'requests',
      amount: requestsPerMinute,
      maxLease,
    });
    this.#changes = new SharedAllowance({ ...places, kind: 'changes', amount: changesPerMinute });
  }

  /** Counts a request. @throws RequestNotTaken; RegistryError */
  async takeRequest(client: string): Promise<void> {
    if (!(await this.#requests.take(client)))
      throw new RequestNotTaken(429, 'This client sends too many requests. Try again in a minute.');
  }

  /** Counts a change. @throws RequestNotTaken; RegistryError */
  async takeChange(client: string): Promise<void> {
    if (!(await this.#changes.take(client)))
      throw new RequestNotTaken(429, 'This client sends too many changes. Try again in a minute.');
  }
}
