import type { QueueCaller } from '@trellis/runtime/admission';
import type { Account } from '../accounts.ts';
import type { Audit } from '../../audit/audit.ts';
import type { AuthServerMetrics } from '../../audit/auth-server-metrics.ts';
import type { AccountStore } from '../account-store.ts';
import { canonicalPassword } from '../../passwords/canonical-password.ts';
import { MAX_PASSWORD_LENGTH } from '../../passwords/password-problem.ts';
import { hashCallerAt, hashCallerOf } from './hash-callers.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { AccountName } from './account-name.ts';
import type { Throttle } from './throttle.ts';

/** Who tries to sign in. */
export interface Attempt {
  /** As typed; unknown addresses are counted alike. */
  readonly email: string;
  readonly address: string;
  /** Proof that this account has signed in with this browser before. */
  readonly knownBrowser: string | undefined;
}

/** How an attempt to sign in ended. */
export type SignInOutcome =
  | {
      readonly kind: 'signed_in';
      readonly account: Account;
      /**
       * When the account was read whose password has matched, milliseconds since 1970: a password that was changed since then
       * does not let the old one in.
       */
      readonly authenticatedAt: number;
    }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'throttled'; readonly waitS: number };

/**
 * Checks an e-mail address and a password.
 *
 * @param purpose a confirmation is throttled in the same way, and begins nothing. Default: to sign in
 */
export type SignIn = (
  attempt: Attempt,
  password: string,
  purpose?: 'sign_in' | 'confirmation',
) => Promise<SignInOutcome>;

/** What signing in works with. */
export interface SignInDependencies {
  readonly accounts: AccountStore;
  readonly accountName: AccountName;
  readonly hasher: PasswordHasher;
  readonly throttle: Throttle;
  readonly audit: Audit;
  readonly metrics: AuthServerMetrics;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

type FailureReason = 'credentials' | 'disabled' | 'throttled_account' | 'throttled_address';

/**
 * Throttles before it hashes, by the account and not by how its address is spelled, and takes the same way for unknown, wrong and disabled, so that neither text nor time
 * reveals which it was.
 */
export function createSignIn(dependencies: SignInDependencies): SignIn {
  const { accounts, accountName, hasher, throttle, audit, metrics, clock } = dependencies;
  const fail = (attempt: Attempt, reason: FailureReason): void => {
    metrics.signIns.inc({ outcome: reason });
    const { email, address } = attempt;
    audit.record({ event: 'sign_in_failed', account: accountName(email), address, reason });
  };
  const succeed = async (account: Account, attempt: Attempt, password: string): Promise<void> => {
    metrics.signIns.inc({ outcome: 'signed_in' });
    audit.record({ event: 'signed_in', subject: account.id, address: attempt.address });
    if (hasher.isOutdated(account.passwordHash) || password !== canonicalPassword(password)) {
      const rehashed = await hasher.hash(password, hashCallerOf(account.id));
      await accounts.rehash(account.id, account.passwordHash, rehashed);
    }
  };
  return async (attempt, password, purpose = 'sign_in') => {
    const authenticatedAt = clock();
    const account = await accounts.findByEmail(attempt.email);
    const admission = await throttle.admit({
      ...attempt,
      account: account?.id ?? accountName(attempt.email),
    });
    if (admission.kind === 'throttled') {
      fail(attempt, `throttled_${admission.by}`);
      return { kind: 'throttled', waitS: admission.waitS };
    }
    const known = password.length > MAX_PASSWORD_LENGTH ? undefined : account?.passwordHash; // no one can have chosen it
    const matches = await hasher
      .verify(known, password.slice(0, MAX_PASSWORD_LENGTH), callerOf(attempt, account))
      .catch(async (error: unknown) => {
        await admission.refund();
        throw error;
      });
    if (!account || !matches || account.disabled) {
      fail(attempt, matches ? 'disabled' : 'credentials');
      return { kind: 'rejected' };
    }
    await admission.refund();
    if (purpose === 'sign_in') await succeed(account, attempt, password);
    return { kind: 'signed_in', account, authenticatedAt };
  };
}

/** Those who come with a browser that the account knows have a part of the hashing for themselves. */
function callerOf({ knownBrowser, address }: Attempt, account: Account | undefined): QueueCaller {
  return knownBrowser === undefined || account === undefined
    ? hashCallerAt(address, false)
    : hashCallerOf(account.id);
}
