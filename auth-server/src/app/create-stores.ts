import type { AuthServerConfig } from './auth-server-config.ts';
import { createRecordSealer } from '../secrets/record-sealer.ts';
import { deriveKeys } from '../secrets/secrets.ts';
import type { FeatureResources, Features } from './features.ts';
import { createAccountGrantStore } from '../grants/account-grant-store.ts';
import { createAccountStore } from '../accounts/account-store.ts';
import { createAssertionStore } from '../attempts/assertion-store.ts';
import { createCodeStore } from '../grants/code-store.ts';
import { createConsentStore } from '../accounts/consent-store.ts';
import { createDeviceStore } from '../grants/device-store.ts';
import { createGrantStore } from '../grants/grant-store.ts';
import { createLinkStore } from '../accounts/link-store.ts';
import type { ReaderOfToday } from '../accounts/reader-of-today.ts';
import { createReplicated } from '../grants/replication.ts';
import { createPushedRequestStore } from '../authorize/pushed-request-store.ts';
import { createSessionStore } from '../accounts/session-store.ts';
import { createStaleTokenStore } from '../tokens/stale-token-store.ts';
import { createIdentityStore } from '../accounts/identity-store.ts';
import { revocationTtlOf } from './settings-of.ts';

type Stores = Pick<
  Features,
  | 'accounts'
  | 'accountGrants'
  | 'assertions'
  | 'codes'
  | 'consents'
  | 'devices'
  | 'grants'
  | 'identities'
  | 'links'
  | 'pushedRequests'
  | 'replicated'
  | 'sessions'
  | 'staleTokens'
>;

/** Makes the stores of the features. @param today reads the date of the database */
export function createStores(
  config: AuthServerConfig,
  { pool, redis, logger }: FeatureResources,
  today: ReaderOfToday,
): Stores {
  const sealer = createRecordSealer(deriveKeys(config.KEY_ENCRYPTION_SECRET, 'records'), (kind) => {
    logger.warn({ kind }, 'ignored an unsealed Redis record');
  });
  const revocationTtlS = revocationTtlOf(config);
  const sessionLifetimes = { idleTtlS: config.SESSION_IDLE_TTL_S, ttlS: config.SESSION_TTL_S };
  return {
    accounts: createAccountStore(pool, today),
    accountGrants: createAccountGrantStore(redis),
    assertions: createAssertionStore(redis),
    codes: createCodeStore(redis, sealer, revocationTtlS),
    consents: createConsentStore(pool),
    devices: createDeviceStore(redis, sealer),
    grants: createGrantStore(redis, sealer, revocationTtlS),
    identities: createIdentityStore(pool),
    links: createLinkStore(redis, sealer),
    pushedRequests: createPushedRequestStore(redis, sealer, config.TRANSACTION_TTL_S),
    replicated: createReplicated(redis, config.REDIS_REPLICAS),
    staleTokens: createStaleTokenStore(redis, revocationTtlS),
    sessions: createSessionStore(redis, sealer, sessionLifetimes),
  };
}
