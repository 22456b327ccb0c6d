import type { AuthServerConfig } from './auth-server-config.ts';
import type { FeatureResources, Features } from './features.ts';
import { createSecretAttemptLimiter } from '../clients/authentication/secret-attempt-limiter.ts';
import { createRequestLimits } from '../http/request-limits.ts';
import { createWriteRoom } from '../attempts/write-room.ts';
import { createBoundedAttempts, type BoundedAttempts } from '../attempts/bounded-attempts.ts';
import type { AccountName } from '../accounts/sign-in/account-name.ts';
import { createAttemptLimiter } from '../accounts/sign-in/attempt-limiter.ts';
import type { createThrottle } from '../accounts/sign-in/throttle.ts';
import { createMailLimits } from '../mail/mail-limits.ts';
import { createAttemptStore } from '../attempts/attempt-store.ts';

/** Wrong codes of devices that one user may enter. RFC 8628 §5.1 */
const USER_CODE_LIMIT = { failures: 10, windowS: 900 };

/** What counts attempts of everybody. */
export interface AnonymousAttempts {
  /** Counts attempts that anybody may make. */
  readonly anonymousAttempts: BoundedAttempts;
}

type Limits = AnonymousAttempts &
  Pick<Features, 'mailLimits' | 'requestLimits' | 'secretAttemptLimiter' | 'userCodeLimiter' | 'writeRoom'>;

/** Makes what keeps anybody from asking for too much. */
export function createLimits(
  config: AuthServerConfig,
  accountName: AccountName,
  { redis, clock }: FeatureResources,
): Limits {
  const attempts = createAttemptStore(redis);
  const { ANONYMOUS_STORE_BYTES: roomBytes } = config;
  const links = { room: createWriteRoom(roomBytes, clock), ttlS: config.LINK_TTL_S };
  const anonymousAttempts = createBoundedAttempts(attempts, createWriteRoom(roomBytes, clock), clock);
  return {
    anonymousAttempts,
    mailLimits: createMailLimits(attempts, anonymousAttempts, accountName, links),
    requestLimits: createRequestLimits(config.REQUESTS_PER_ADDRESS),
    secretAttemptLimiter: createSecretAttemptLimiter(anonymousAttempts, clock),
    userCodeLimiter: createAttemptLimiter(attempts, 'user-code', USER_CODE_LIMIT),
    writeRoom: createWriteRoom(roomBytes, clock),
  };
}

/** Failed sign-ins that an account and an address may have. */
export function throttleLimits(config: AuthServerConfig): Parameters<typeof createThrottle>[1] {
  const windowS = config.SIGN_IN_WINDOW_S;
  return {
    perAccount: { failures: config.SIGN_IN_FAILURES_PER_ACCOUNT, windowS },
    perAddress: { failures: config.SIGN_IN_FAILURES_PER_ADDRESS, windowS },
  };
}
