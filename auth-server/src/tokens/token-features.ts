import type { RefreshTokens } from './refresh-token.ts';
import type { StaleTokenStore } from './stale-token-store.ts';

/** Tokens beside the keys that sign them. */
export interface TokenFeatures {
  readonly refreshTokens: RefreshTokens;
  readonly staleTokens: StaleTokenStore;
}
