import { decodeJwt, jwtVerify, type JWTPayload } from 'jose';
import { assertionAlgorithmsOf } from '../client-metadata.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { AssertionStore } from '../../attempts/assertion-store.ts';
import type { Client } from '../client-store.ts';

/** Longest assertion that is looked at, characters. */
const MAX_LENGTH = 8_192;
/** Most seconds from now to the end of an assertion. */
const MAX_LIFETIME_S = 600;
/** Seconds by which the client's clock may differ. */
const SKEW_S = 30;

/** What verification needs to know. */
export interface AssertionContext {
  /** The audience: a string, not a list that has it among others. */
  readonly issuer: string;
  /** The other one, for clients that are registered to use it. */
  readonly tokenEndpoint: string;
  readonly assertions: AssertionStore;
  readonly clientKeys: ClientKeys;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** The client that an assertion claims to be from; nothing is verified yet. */
export function claimedClientId(assertion: string): string | undefined {
  if (assertion.length > MAX_LENGTH) return undefined;
  try {
    return decodeJwt(assertion).sub;
  } catch {
    return undefined;
  }
}

/**
 * Verifies a client's assertion: signature by one of its registered keys, issuer and subject the client, audience this
 * server's issuer (or its token endpoint, see `ClientMetadata.token_endpoint_audience`), not expired, used for the first time.
 *
 * @returns undefined when it holds, else what is wrong, for the log
 * @see RFC 7523 §3, OpenID Connect Core §9
 */
export async function assertionProblem(
  assertion: string,
  { metadata }: Client,
  context: AssertionContext,
): Promise<string | undefined> {
  if (assertion.length > MAX_LENGTH) return 'too long';
  let claims: JWTPayload;
  const keys = context.clientKeys.of(metadata);
  if (!keys) return 'the client has no keys';
  try {
    const { payload } = await jwtVerify(assertion, keys, {
      algorithms: [...assertionAlgorithmsOf(metadata)],
      issuer: metadata.client_id,
      subject: metadata.client_id,
      audience: metadata.token_endpoint_audience ? [context.issuer, context.tokenEndpoint] : context.issuer,
      requiredClaims: ['exp', 'jti'],
      clockTolerance: SKEW_S,
      currentDate: new Date(context.clock()),
    });
    claims = payload;
  } catch (error) {
    return error instanceof Error ? error.message : 'not verifiable';
  }
  return claimsProblem(claims, metadata.client_id, context);
}

async function claimsProblem(
  { aud, exp = 0, iat = 0, jti }: JWTPayload,
  clientId: string,
  { assertions, clock }: AssertionContext,
): Promise<string | undefined> {
  const remainingS = exp - clock() / 1000;
  if (typeof aud !== 'string') return 'aud is a list';
  if (iat > clock() / 1000 + SKEW_S) return 'iat is in the future';
  if (remainingS > MAX_LIFETIME_S) return 'lives too long';
  if (typeof jti !== 'string' || jti === '') return 'jti is no text';
  return (await assertions.markUsed(clientId, jti, remainingS + SKEW_S)) ? undefined : 'jti was used before';
}
