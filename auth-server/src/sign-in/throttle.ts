import { isIPv6 } from 'node:net';
import { sha256 } from '../secrets.ts';
import type { AttemptLimit, AttemptStore } from '../stores/attempt-store.ts';

/** Whether an attempt to sign in may be made. */
export type Admission =
  | { readonly kind: 'admitted'; readonly refund: () => Promise<void> }
  | { readonly kind: 'throttled'; readonly by: 'account' | 'address'; readonly waitS: number };

/** Who tries to sign in. */
export interface Attempt {
  /** As typed; unknown addresses are counted alike. */
  readonly email: string;
  readonly address: string;
  /** Proof that this account has signed in with this browser before; counted apart from strangers. */
  readonly knownBrowser: string | undefined;
}

/** Keeps guessing slow. */
export interface Throttle {
  admit(attempt: Attempt): Promise<Admission>;
}

/** Limits of a throttle. */
export interface ThrottleLimits {
  readonly perAccount: AttemptLimit;
  readonly perAddress: AttemptLimit;
}

/**
 * Counts failures per account and per address. A browser in which the account has signed in before has a counter of its
 * own, so that strangers can't lock the account's owner out.
 */
export function createThrottle(attempts: AttemptStore, limits: ThrottleLimits): Throttle {
  return {
    admit: async (attempt) => {
      const addressName = `address:${networkOf(attempt.address)}`;
      const accountName = accountCounter(attempt);
      const addressWaitS = await attempts.reserve(addressName, limits.perAddress);
      if (addressWaitS > 0) return { kind: 'throttled', by: 'address', waitS: addressWaitS };
      const accountWaitS = await attempts.reserve(accountName, limits.perAccount);
      if (accountWaitS > 0) return { kind: 'throttled', by: 'account', waitS: accountWaitS };
      return {
        kind: 'admitted',
        refund: async () => {
          await Promise.all([attempts.refund(addressName), attempts.refund(accountName)]);
        },
      };
    },
  };
}

function accountCounter({ email, knownBrowser }: Attempt): string {
  const account = `account:${accountHash(email)}`;
  return knownBrowser === undefined ? account : `${account}:${sha256(knownBrowser)}`;
}

/** Names an account in counters and logs without telling its e-mail address. */
export function accountHash(email: string): string {
  return sha256(email.trim().toLowerCase());
}

/** One person holds a whole /64 of IPv6. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail = ''] = address.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::')
    ? Array.from({ length: 8 - before.length - after.length }, () => '0')
    : [];
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
