import { createHash } from 'node:crypto';
import { defineStatements, execute, queryRows, type Pool } from '@trellis/postgres';
import { RegistryError } from '@trellis/registry';
import type { Logger } from '@trellis/runtime';
import { statements } from '../generated/statements.ts';

/** What each client is allowed in a time, by all servers of a registry together. */
export interface SharedAllowanceOptions {
  readonly pool: Pool;
  /** @default logs nothing */
  readonly logger?: Logger;
  /** Of what: allowances of different kinds are apart. */
  readonly kind: string;
  /** How much a client has at once; it comes back evenly. */
  readonly amount: number;
  /** Milliseconds in which all of it comes back. @default 60_000 */
  readonly windowMs?: number;
  /** How much a server takes of it at once, at most. 1: each request asks the database. @default 1 */
  readonly maxLease?: number;
  /** Milliseconds on a clock that never goes back. @default performance.now */
  readonly now?: () => number;
}

/** What a server has taken for a client is good that long; the rest of it is lost. */
const LEASE_MS = 5_000;
/** A client that has nothing left is not asked about that long. */
const DENIED_MS = 1_000;
/** Clients with a lease here; the one whose lease is the oldest makes room, and loses it. */
const MAX_LEASES = 10_000;
/** Rows of clients that have all of it again are deleted once in so many questions. */
const TRIM_EACH = 1_000;

/** What has come back by now: $3 is the whole, $4 what comes back in a second. `now()` is older than the row where another was waited for. */
const AVAILABLE = `least($3::float8, held.available
  + $4::float8 * greatest(0, extract(epoch FROM now() - held.refilled_at)::float8))`;
const GRANTED = `least($5::int, floor(${AVAILABLE}))`;

const sql = defineStatements(statements, 'shared-allowance', {
  take: `INSERT INTO allowance AS held (client, kind, available, granted, refilled_at)
  VALUES ($1, $2, $3::float8 - least($5::int, floor($3::float8)), least($5::int, floor($3::float8)), now())
  ON CONFLICT (client, kind) DO UPDATE SET available = ${AVAILABLE} - ${GRANTED}, granted = ${GRANTED},
    refilled_at = greatest(held.refilled_at, now())
  RETURNING granted`,
  trim: 'DELETE FROM allowance WHERE kind = $1 AND refilled_at < now() - make_interval(secs => $2)',
});

interface Lease {
  left: number;
  /** How much was taken; 0: nothing was left. */
  readonly size: number;
  readonly untilMs: number;
}

/**
 * A token bucket for each client in PostgreSQL, whose clock counts. One statement takes from it, so that servers together never give
 * more than it holds. A busy client costs few of them: a server takes twice as much as it has just used, up to `maxLease`. What it
 * does not use in five seconds is lost to the client, at most two thirds where its requests reach many servers.
 */
export class SharedAllowance {
  readonly #options: SharedAllowanceOptions;
  readonly #now: () => number;
  readonly #leases = new Map<string, Lease>();
  readonly #renewals = new Map<string, Promise<void>>();
  #asked = 0;

  constructor(options: SharedAllowanceOptions) {
    this.#options = options;
    this.#now = options.now ?? performance.now.bind(performance);
  }

  /** Questions that the database was asked. */
  get asked(): number {
    return this.#asked;
  }

  /**
   * Takes one for a client.
   *
   * @returns whether there was one
   * @throws RegistryError STORE_UNAVAILABLE
   */
  async take(client: string): Promise<boolean> {
    for (;;) {
      const lease = this.#leases.get(client);
      if (lease && lease.untilMs > this.#now()) {
        if (lease.left > 0) {
          lease.left -= 1;
          return true;
        }
        if (lease.size === 0) return false;
      }
      // Each renewal gives one of those who wait its own, or nothing to all.
      await this.#renewOnce(client, lease);
    }
  }

  #renewOnce(client: string, lease: Lease | undefined): Promise<void> {
    const running = this.#renewals.get(client);
    if (running) return running;
    const renewal = this.#renew(client, lease).finally(() => this.#renewals.delete(client));
    this.#renewals.set(client, renewal);
    return renewal;
  }

  async #renew(client: string, lease: Lease | undefined): Promise<void> {
    const { maxLease = 1 } = this.#options;
    const isUsedUp = lease !== undefined && lease.left === 0 && lease.untilMs > this.#now();
    const wanted = isUsedUp ? Math.max(1, Math.min(lease.size * 2, maxLease)) : 1;
    const size = await this.#ask(client, wanted);
    this.#leases.delete(client); // the newest stands last
    this.#leases.set(client, { left: size, size, untilMs: this.#now() + (size > 0 ? LEASE_MS : DENIED_MS) });
    const [oldest] = this.#leases.keys();
    if (this.#leases.size > MAX_LEASES && oldest !== undefined) this.#leases.delete(oldest);
  }

  async #ask(client: string, wanted: number): Promise<number> {
    const { pool, kind, amount, windowMs = 60_000 } = this.#options;
    this.#asked += 1;
    const perSecond = amount / (windowMs / 1_000);
    try {
      const [row] = await queryRows(pool, sql.take, [digestOf(client), kind, amount, perSecond, wanted]);
      if (this.#asked % TRIM_EACH === 0) await this.#trim();
      return row?.granted ?? 0;
    } catch (error) {
      const text = 'The PostgreSQL of the registry failed: no request can be counted.';
      throw new RegistryError('STORE_UNAVAILABLE', text, { cause: error });
    }
  }

  /** What was granted is, whether or not old rows go. */
  async #trim(): Promise<void> {
    const { pool, kind, windowMs = 60_000, logger } = this.#options;
    await execute(pool, sql.trim, [kind, windowMs / 1_000]).catch((error: unknown) => {
      logger?.error({ err: error, kind }, 'old allowances of clients can not be deleted');
    });
  }
}

/** Ids of clients may be long. */
function digestOf(client: string): string {
  return createHash('sha256').update(client).digest('base64url');
}
