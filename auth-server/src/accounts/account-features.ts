import type { AccountStore } from './account-store.ts';
import type { ConsentStore } from './consent-store.ts';
import type { IdentityStore } from './identity-store.ts';
import type { LinkStore } from './link-store.ts';
import type { SessionStore } from './session-store.ts';

/** People: their accounts, one-time links, sessions and consents. */
export interface AccountFeatures {
  readonly accounts: AccountStore;
  readonly consents: ConsentStore;
  readonly identities: IdentityStore;
  readonly links: LinkStore;
  readonly sessions: SessionStore;
}
