import type { Authenticator } from '../auth/authenticator.ts';
import type { Caller } from '../auth/caller.ts';
import { KeysUnavailable } from '../auth/key-set.ts';
import { InvalidAccessToken } from '../auth/verify-access-token.ts';
import { gatewayErrorCodes, refused } from '../errors.ts';

/**
 * Stage: `Authorization` → caller. A token that is not good refuses the whole request: it is never taken for none.
 *
 * @throws RequestRefused UNAUTHENTICATED, AUTHENTICATION_UNAVAILABLE
 */
export async function authenticate(
  authorization: string | undefined,
  authenticator: Authenticator,
  onInvalidToken: (reason: string) => void,
): Promise<Caller> {
  try {
    return await authenticator.authenticate(authorization);
  } catch (error) {
    if (error instanceof KeysUnavailable)
      throw refused('AUTHENTICATION_UNAVAILABLE', gatewayErrorCodes.AUTHENTICATION_UNAVAILABLE.summary);
    if (!(error instanceof InvalidAccessToken)) throw error;
    onInvalidToken(error.reason);
    throw refused('UNAUTHENTICATED', error.message);
  }
}
