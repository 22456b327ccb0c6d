import { unfitTextIn } from '@trellis/runtime/admission';
import { jwtVerify, type JWTPayload } from 'jose';
import { OAuthError } from '../errors.ts';
import { parametersOf, type Parameters } from '../parameters.ts';
import { nowS, type HasClock } from '../clock.ts';
import { requestObjectAlgorithmsOf } from '../clients/client-metadata.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { Client } from '../clients/client-store.ts';
import type { HasSettings } from '../settings/settings.ts';

/** What request objects are verified with. */
export type RequestObjectFeatures = HasClock & HasSettings & Pick<ClientFeatures, 'clientKeys'>;

/** A request object that was verified, which gives one code. */
export interface UsedRequestObject {
  /** Its `jti`; undefined where it has none, and may be used again until it expires. */
  readonly id: string | undefined;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** What a request object says. */
export interface OpenedRequestObject {
  readonly parameters: Parameters;
  readonly used: UsedRequestObject;
}

/** Most seconds from now to the end of an object, and from its `nbf` to now. FAPI 2.0 Message Signing §5.3.1 */
const MAX_LIFETIME_S = 3_600;
/** Seconds by which the client's clock may differ. */
export const OBJECT_SKEW_S = 30;
const MAX_ID_CHARACTERS = 200;
/** Types of objects that are requests. RFC 9101 §10.8 */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'oauth-authz-req+jwt', 'JWT', 'jwt']);
/** Claims of the object itself, which are no parameters of the request. RFC 7519 §4.1 */
const NO_PARAMETERS: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'sub']);

/**
 * Verifies a request object that is sent by value: signature by a key of the client, issuer the client, audience this server
 * alone, times. Nothing beside it in the request is used.
 *
 * @throws OAuthError invalid_request_object, for a page: of a request that does not verify nothing is to be trusted
 * @see RFC 9101 §4, §6, OpenID Connect Core §6.1
 */
export async function openRequestObject(
  object: string,
  client: Client,
  features: RequestObjectFeatures,
): Promise<OpenedRequestObject> {
  const claims = await verify(object, client, features);
  const unfit = unfitTextIn(claims, 'token');
  if (unfit) throw invalidObject(`The claim ${unfit.path} ${unfit.problem}.`);
  const problem = claimsProblem(claims, client.metadata.client_id, features);
  if (problem !== undefined) throw invalidObject(problem);
  const { jti, exp = 0 } = claims;
  return { parameters: toParameters(claims), used: { id: jti, expiresAt: exp } };
}

async function verify(
  object: string,
  { metadata }: Client,
  { clientKeys, settings, clock }: RequestObjectFeatures,
): Promise<JWTPayload> {
  const keys = clientKeys.of(metadata);
  if (!keys) throw invalidObject('The client has no keys.');
  if (object.split('.').length === 5) throw invalidObject('Encrypted request objects are not supported.');
  try {
    const { payload, protectedHeader } = await jwtVerify(object, keys, {
      algorithms: [...requestObjectAlgorithmsOf(metadata)],
      issuer: metadata.client_id,
      audience: settings.issuer,
      requiredClaims: ['iss', 'aud', 'exp', 'client_id'],
      clockTolerance: OBJECT_SKEW_S,
      currentDate: new Date(clock()),
    });
    if (TYPES.has(protectedHeader.typ)) return payload;
  } catch (error) {
    throw invalidObject('The request object is not valid here.', error);
  }
  throw invalidObject('The typ of the request object is not oauth-authz-req+jwt.');
}

function claimsProblem(claims: JWTPayload, clientId: string, features: HasClock): string | undefined {
  const { exp = 0, nbf, iat = 0, jti, sub } = claims;
  const now = nowS(features);
  if (claims['client_id'] !== clientId) return 'The client_id of the request object is another one.';
  // An assertion that authenticates the client is no request of it. RFC 9101 §10.8
  if (sub === clientId) return 'The request object has the client as its sub.';
  if ('request' in claims || 'request_uri' in claims) return 'A request object holds no other.';
  if (exp - now > MAX_LIFETIME_S + OBJECT_SKEW_S) return 'The request object expires later than in an hour.';
  if (nbf !== undefined && now - nbf > MAX_LIFETIME_S + OBJECT_SKEW_S)
    return 'The nbf is more than an hour ago.';
  if (typeof iat !== 'number' || iat > now + OBJECT_SKEW_S) return 'The iat is in the future.';
  const isId =
    jti === undefined || (typeof jti === 'string' && jti.length > 0 && jti.length <= MAX_ID_CHARACTERS);
  return isId ? undefined : `The jti is no text of 1 to ${MAX_ID_CHARACTERS} characters.`;
}

/** Numbers stand for their digits, a list for a parameter that repeats, an object for its JSON, as `claims` is one. */
function toParameters(claims: JWTPayload): Parameters {
  const entries = Object.entries(claims).flatMap(([name, value]) =>
    NO_PARAMETERS.has(name) ? [] : [value].flat().flatMap((item) => toEntry(name, item)),
  );
  return parametersOf(entries);
}

function toEntry(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value === 'string' || typeof value === 'number') return [[name, String(value)]];
  return typeof value === 'object' && value !== null ? [[name, JSON.stringify(value)]] : [];
}

function invalidObject(description: string, cause?: unknown): OAuthError {
  const detail = cause instanceof Error ? cause.message : undefined;
  return new OAuthError('invalid_request_object', description, {
    redirect: false,
    cause,
    ...(detail !== undefined && { detail }),
  });
}
