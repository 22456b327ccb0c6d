import { sha256 } from '../../secrets/secrets.ts';
import type { AttemptLimit, AttemptStore } from '../../attempts/attempt-store.ts';
import type { BoundedAttempts } from '../../attempts/bounded-attempts.ts';
import { countersByNetwork } from '../../attempts/network-counters.ts';
import { reserveTogether, type Counter } from '../../attempts/reserve-together.ts';

/** Whether an attempt to sign in may be made. */
export type Admission =
  | { readonly kind: 'admitted'; readonly refund: () => Promise<void> }
  | { readonly kind: 'throttled'; readonly by: 'account' | 'address'; readonly waitS: number };

/** Who tries to sign in. */
export interface ThrottledAttempt {
  /** The account's id, or for an unknown address its name: they are counted alike. */
  readonly account: string;
  readonly address: string;
  /** Proof that this account has signed in with this browser before; counted apart from unknown browsers. */
  readonly knownBrowser: string | undefined;
}

/** Keeps guessing slow. */
export interface Throttle {
  admit(attempt: ThrottledAttempt): Promise<Admission>;
}

/** Limits of a throttle. */
export interface ThrottleLimits {
  readonly perAccount: AttemptLimit;
  /** Of one address; networks around it may have a few times as many. */
  readonly perAddress: AttemptLimit;
}

/**
 * Counts failures per account, and per address and the networks around it. A browser in which the account has signed in
 * before has a counter of its own and no other, so that no one else, near or far, can lock the account's owner out.
 *
 * @param attempts of browsers that an account knows
 * @param anonymousAttempts of all others, who can make a counter for each address that can be typed
 */
export function createThrottle(
  attempts: AttemptStore,
  limits: ThrottleLimits,
  anonymousAttempts: BoundedAttempts,
): Throttle {
  const count = async (
    attempt: ThrottledAttempt,
    store: AttemptStore,
    networks: readonly Counter[],
  ): Promise<Admission> => {
    const account = accountCounter(attempt, limits.perAccount);
    const { waitsS, refund } = await reserveTogether(store, [account, ...networks]);
    const [accountWaitS = 0, ...networkWaitsS] = waitsS;
    const addressWaitS = Math.max(0, ...networkWaitsS);
    if (addressWaitS > 0) return { kind: 'throttled', by: 'address', waitS: addressWaitS };
    if (accountWaitS > 0) return { kind: 'throttled', by: 'account', waitS: accountWaitS };
    return { kind: 'admitted', refund };
  };
  return {
    admit: async (attempt) => {
      if (attempt.knownBrowser !== undefined) return count(attempt, attempts, []);
      const { address } = attempt;
      const networks = countersByNetwork('sign-in', address, limits.perAddress);
      return count(attempt, anonymousAttempts.from(address), networks);
    },
  };
}

function accountCounter({ account, knownBrowser }: ThrottledAttempt, limit: AttemptLimit): Counter {
  const name = `account:${account}`;
  return { name: knownBrowser === undefined ? name : `${name}:${sha256(knownBrowser)}`, limit };
}
