import type { VerifiedAccessToken } from '../tokens/verify-own-token.ts';
import type { TokenFeatures } from '../tokens/token-features.ts';
import type { GrantFeatures } from './grant-features.ts';

/** Stores of revocations. */
export type RevokedTokenFeatures = Pick<TokenFeatures, 'staleTokens'> & Pick<GrantFeatures, 'grants'>;

/** Whether an access token is no longer good although it has not expired: its grant has ended, or it says too much. */
export async function isRevokedToken(
  token: VerifiedAccessToken,
  { grants, staleTokens }: Pick<TokenFeatures, 'staleTokens'> & Pick<GrantFeatures, 'grants'>,
): Promise<boolean> {
  const [isRevoked, isStale] = await Promise.all([
    grants.isRevoked(token.grantId),
    staleTokens.isStale(token),
  ]);
  return isRevoked || isStale;
}
