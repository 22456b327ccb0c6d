import { amountsOf, DEFAULT_SHARES, ShareLimit, type ShareKeys, type ShareRefusal } from '@trellis/admission';

/** How many connections there may be. */
export interface ConnectionRules {
  /** Of a process. */
  readonly maxConnections: number;
  /** Of one address; networks around it may have more. */
  readonly maxConnectionsPerAddress: number;
}

/** The place of one connection. */
export interface ConnectionPlace {
  /** Counts it elsewhere: its client has turned out to be somebody. */
  moveTo(keys: ShareKeys): void;
  /** The connection has ended. More than once does no harm. */
  leave(): void;
}

/** Counts connections, so that no address takes the places of all others. Who has none yet gets one as long as there is any. */
export class ConnectionPlaces {
  readonly #limit: ShareLimit;

  constructor({ maxConnections, maxConnectionsPerAddress }: ConnectionRules) {
    const [, ...ofNetworks] = amountsOf(maxConnections, DEFAULT_SHARES.ofTotal);
    const perKey = [maxConnectionsPerAddress, ...ofNetworks.map(atLeast(maxConnectionsPerAddress))] as const;
    this.#limit = new ShareLimit({ total: maxConnections, perKey, leavesRoom: true });
  }

  /** Connections now. */
  get size(): number {
    return this.#limit.held;
  }

  /**
   * @param keys none where it counts in nobody's share: many clients come through a proxy
   * @returns the place, or why there is none
   */
  take(keys: readonly string[]): ConnectionPlace | ShareRefusal {
    const refusal = this.#limit.tryAcquire(keys);
    if (refusal !== undefined) return refusal;
    let counted: readonly string[] | undefined = keys;
    return {
      moveTo: (next) => {
        if (!counted) return;
        this.#limit.release(counted);
        this.#limit.acquire(next);
        counted = next;
      },
      leave: () => {
        if (counted) this.#limit.release(counted);
        counted = undefined;
      },
    };
  }
}

function atLeast(amount: number): (other: number) => number {
  return (other) => Math.max(amount, other);
}
