import { jwtVerify } from 'jose';
import type { KeySet } from './key-set.ts';
import type { TextResponse } from './fetch-json.ts';

/** The media type of signed introspection responses. RFC 9701 §4, §5 */
export const INTROSPECTION_JWT = 'application/token-introspection+jwt';

/** Seconds for which a signed response is good: it is asked for when it is needed. */
const MAX_AGE_S = 60;

/** What a signed response has to be. */
export interface SignedIntrospectionRules {
  readonly issuer: string;
  readonly keys: KeySet;
  readonly algorithms: readonly string[];
  /** Of the gateway at the issuer: the response is for no other resource server. */
  readonly clientId: string;
  readonly leewayS: number;
}

/**
 * Verifies a signed introspection response: type, signature by a key of the issuer, issuer, audience, age.
 *
 * @returns what it says of the token
 * @throws KeysUnavailable, and Error that says what is wrong with the response
 * @see RFC 9701 §5, §8.1
 */
export async function verifyIntrospection(
  { text, mediaType }: TextResponse,
  { issuer, keys, algorithms, clientId, leewayS }: SignedIntrospectionRules,
  nowMs: number,
): Promise<unknown> {
  if (mediaType !== INTROSPECTION_JWT)
    throw new Error(`The introspection response is not signed: its type is ${JSON.stringify(mediaType)}.`);
  const { payload } = await jwtVerify(text.trim(), keys.findKey, {
    typ: INTROSPECTION_JWT,
    algorithms: [...algorithms],
    issuer,
    audience: clientId,
    requiredClaims: ['iat', 'token_introspection'],
    maxTokenAge: MAX_AGE_S,
    clockTolerance: leewayS,
    currentDate: new Date(nowMs),
  });
  if (Array.isArray(payload.aud) && payload.aud.length !== 1)
    throw new Error('The introspection response is for other resource servers as well.');
  return payload['token_introspection'];
}
