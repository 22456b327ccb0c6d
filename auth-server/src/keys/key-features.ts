import type { Keyring } from './keyring.ts';
import type { SigningKeyDependencies } from './signing-keys.ts';

/** The keys that tokens are signed with. */
export interface KeyFeatures {
  readonly keyring: Keyring;
  /** What rotates them. */
  readonly signingKeys: SigningKeyDependencies;
}
