import type { Services } from '../app/services.ts';
import type { VerifiedAccessToken } from '../tokens/verify-own-token.ts';

/** Whether an access token is no longer good although it has not expired: its grant has ended, or it says too much. */
export async function isRevokedToken(
  token: VerifiedAccessToken,
  { grants, staleTokens }: Pick<Services, 'grants' | 'staleTokens'>,
): Promise<boolean> {
  const [isRevoked, isStale] = await Promise.all([
    grants.isRevoked(token.grantId),
    staleTokens.isStale(token),
  ]);
  return isRevoked || isStale;
}
