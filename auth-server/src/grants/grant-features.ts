import type { AccountGrantStore } from './account-grant-store.ts';
import type { CodeStore } from './code-store.ts';
import type { DeviceStore } from './device-store.ts';
import type { GrantRevoker } from './grant-revoker.ts';
import type { GrantStore } from './grant-store.ts';
import type { Replicated } from './replication.ts';

/** Grants, what they begin with, and what ends them. */
export interface GrantFeatures {
  readonly accountGrants: AccountGrantStore;
  readonly codes: CodeStore;
  readonly devices: DeviceStore;
  readonly grants: GrantStore;
  readonly replicated: Replicated;
  readonly revoker: GrantRevoker;
}
