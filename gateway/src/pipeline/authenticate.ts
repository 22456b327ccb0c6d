import type { Caller } from '../identity/caller.ts';
import { IssuerBusy } from '../identity/issuer-busy.ts';
import { KeysUnavailable } from '../identity/key-set.ts';
import { InvalidAccessToken } from '../identity/token-rules.ts';
import type { PresentedProof } from '../identity/presented-proof.ts';
import type { RequestContext } from '../request/context.ts';
import { authenticationUnavailable, overShare, rejected } from '../errors.ts';
import type { ErrorPolicy } from './format-errors.ts';
import type { PipelineServices } from './services.ts';

/** What a request says of who sends it. */
export interface PresentedCredentials {
  readonly authorization: string | undefined;
  readonly proof?: PresentedProof | undefined;
  /** Thumbprint of the client's certificate, as a trusted proxy says. */
  readonly certificate?: string | undefined;
  /** The client's network address, as reported by trusted proxies. */
  readonly address: string;
}

/**
 * Stage: `Authorization` → caller. An invalid token rejects the whole request: it is never taken for none.
 *
 * @returns at once where the token was verified before
 * @throws RequestError UNAUTHENTICATED, AUTHENTICATION_UNAVAILABLE, RATE_LIMITED where the network has its share of questions to an issuer
 */
export function authenticate(
  { authorization, proof, certificate, address }: PresentedCredentials,
  { authenticator, errorPolicy }: Pick<PipelineServices, 'authenticator' | 'errorPolicy'>,
  onInvalidToken: (reason: string) => void,
): Caller | Promise<Caller> {
  const reject = (error: unknown): never => {
    if (error instanceof IssuerBusy && error.why === 'share') throw overShare();
    if (error instanceof KeysUnavailable) throw authenticationUnavailable();
    if (!(error instanceof InvalidAccessToken)) throw error;
    onInvalidToken(error.reason);
    throw rejected('UNAUTHENTICATED', messageOf(error, errorPolicy));
  };
  try {
    const caller = authenticator.authenticate(authorization, proof, certificate, address);
    return caller instanceof Promise ? caller.catch(reject) : caller;
  } catch (error) {
    return reject(error);
  }
}

/** Which claim failed is for those who make the tokens to know; in production that may be an attacker. */
function messageOf({ message, reason }: InvalidAccessToken, { exposeInternals }: ErrorPolicy): string {
  return exposeInternals && reason !== message ? `${message} ${reason}` : message;
}

/** {@link authenticate} for a request to the pipeline. */
export function authenticateRequest(
  context: RequestContext,
  services: PipelineServices,
): Caller | Promise<Caller> {
  return authenticate(context, services, (reason) =>
    services.observer.invalidToken(context.requestId, reason),
  );
}

/**
 * Stage: a graph that needs a token says nothing about texts, not even whether they are valid, before it has seen one.
 *
 * @throws RequestError UNAUTHENTICATED, AUTHENTICATION_UNAVAILABLE
 */
export async function requireToken(context: RequestContext, services: PipelineServices): Promise<Caller> {
  const caller = await authenticateRequest(context, services);
  if (caller.authenticated) return caller;
  throw rejected('UNAUTHENTICATED', 'This graph needs a valid access token.');
}
