import {
  amountsOf,
  DEFAULT_SHARES,
  ShareLimit,
  type ShareKeys,
  type ShareLimitOptions,
  type ShareRejection,
} from '@trellis/runtime/admission';

/** How many connections there may be. */
export interface ConnectionRules {
  /** Of a process. */
  readonly maxConnections: number;
  /** Of one address; networks around it may have more. */
  readonly maxConnectionsPerAddress: number;
}

/** The place of one connection. */
export interface ConnectionPlace {
  /** Counts it elsewhere: its client has authenticated. */
  moveTo(keys: ShareKeys): void;
  /** The connection has ended. More than once does no harm. */
  leave(): void;
}

/** Counts connections, so that no address takes the places of all others. Who has none yet gets one as long as there is any. */
export class ConnectionPlaces {
  readonly #rulesNow: () => ConnectionRules;
  readonly #limit: ShareLimit;
  #rules: ConnectionRules;

  /** @param rulesNow those that hold for the next connection */
  constructor(rulesNow: () => ConnectionRules) {
    this.#rulesNow = rulesNow;
    this.#rules = rulesNow();
    this.#limit = new ShareLimit({ ...amountsBy(this.#rules), leavesRoom: true });
  }

  /** Connections now. */
  get size(): number {
    return this.#limit.held;
  }

  /**
   * @param keys none where it counts in no share: many clients come through a proxy
   * @returns the place, or why there is none
   */
  take(keys: readonly string[]): ConnectionPlace | ShareRejection {
    this.#takeRules();
    const rejection = this.#limit.tryAcquire(keys);
    if (rejection !== undefined) return rejection;
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

  #takeRules(): void {
    const rules = this.#rulesNow();
    if (rules === this.#rules) return;
    this.#rules = rules;
    this.#limit.resize(amountsBy(rules));
  }
}

/** Of all, and of one key at each level. */
function amountsBy({
  maxConnections,
  maxConnectionsPerAddress,
}: ConnectionRules): Pick<ShareLimitOptions, 'total' | 'perKey'> {
  const [, ...ofNetworks] = amountsOf(maxConnections, DEFAULT_SHARES.ofTotal);
  const perKey = [maxConnectionsPerAddress, ...ofNetworks.map(atLeast(maxConnectionsPerAddress))] as const;
  return { total: maxConnections, perKey };
}

function atLeast(amount: number): (other: number) => number {
  return (other) => Math.max(amount, other);
}
