import type { Authenticator } from '../identity/authenticator.ts';
import type { Caller } from '../identity/caller.ts';
import { KeysUnavailable } from '../identity/key-set.ts';
import { InvalidAccessToken } from '../identity/invalid-access-token.ts';
import type { PresentedProof } from '../identity/verify-proof.ts';
import type { RequestContext } from '../request/context.ts';
import { gatewayErrorCodes, refused } from '../errors.ts';
import type { PipelineServices } from './services.ts';

/** What a request says of who sends it. */
export interface PresentedCredentials {
  readonly authorization: string | undefined;
  readonly proof?: PresentedProof | undefined;
}

/**
 * Stage: `Authorization` → caller. A token that is not good refuses the whole request: it is never taken for none.
 *
 * @returns at once where the token was verified before
 * @throws RequestRefused UNAUTHENTICATED, AUTHENTICATION_UNAVAILABLE
 */
export function authenticate(
  { authorization, proof }: PresentedCredentials,
  authenticator: Authenticator,
  onInvalidToken: (reason: string) => void,
): Caller | Promise<Caller> {
  const refuse = (error: unknown): never => {
    if (error instanceof KeysUnavailable)
      throw refused('AUTHENTICATION_UNAVAILABLE', gatewayErrorCodes.AUTHENTICATION_UNAVAILABLE.summary);
    if (!(error instanceof InvalidAccessToken)) throw error;
    onInvalidToken(error.reason);
    throw refused('UNAUTHENTICATED', error.message);
  };
  try {
    const caller = authenticator.authenticate(authorization, proof);
    return caller instanceof Promise ? caller.catch(refuse) : caller;
  } catch (error) {
    return refuse(error);
  }
}

/** {@link authenticate} for a request to the pipeline. */
export function authenticateRequest(
  context: RequestContext,
  { authenticator, observer }: PipelineServices,
): Caller | Promise<Caller> {
  return authenticate(context, authenticator, (reason) => observer.invalidToken(context.requestId, reason));
}
