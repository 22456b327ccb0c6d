import { ownOf } from '@trellis/runtime/own-property';
import { decodeJwt, errors, jwtVerify, type JWTHeaderParameters, type JWTPayload } from 'jose';
import type { QueueCaller } from '@trellis/runtime/admission';
import type { Caller } from './caller.ts';
import { callerOf, type CallerRules } from './caller-of-token.ts';
import { InvalidAccessToken, type TokenRules } from './token-rules.ts';
import { KeysUnavailable, type KeySet } from './key-set.ts';
import { authentication } from '../settings/authentication.ts';
import { assertAudience, wrongClaim, quoted } from './read-claims.ts';
import type { IssuerTrust } from './issuer-trust.ts';
import type { TokenIntrospection } from './introspect-token.ts';

/** An issuer whose tokens are accepted. */
export interface TrustedIssuer {
  /** Equal to the token's `iss`, character by character. */
  readonly issuer: string;
  /** What its tokens have to be. */
  readonly rules: TokenRules;
  readonly keys: KeySet;
  /** What its tokens may say. @default everything, of the users of the graph */
  readonly trust?: IssuerTrust;
  /** Asked about tokens that are no JWT. @default they are invalid */
  readonly introspection?: TokenIntrospection | undefined;
}

/** Settings of {@link createAccessTokenVerification}. */
export interface AccessTokenRules extends CallerRules {
  readonly issuers: readonly TrustedIssuer[];
  /** Seconds by which clocks may differ. @default as authentication.leewayS */
  readonly leewayS?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** Checks a token. @param sender in whose share questions to its issuer count */
export type AccessTokenVerification = (token: string, sender?: QueueCaller) => Promise<Caller>;

/** Where its sender is not known: all of these together have one share. */
const UNKNOWN_SENDER: QueueCaller = Object.freeze({ keys: ['unknown'] as const, isKnown: false });

/** Longer ones are not looked at. */
const MAX_TOKEN_CHARACTERS = 8_192;

/**
 * Makes the check of an access token: a JWT of a trusted issuer, of the shape of its profile, for this audience, within its time.
 * Nothing that the token names is fetched (`jku`, `x5u`, `iss`).
 *
 * @returns rejects with InvalidAccessToken, or KeysUnavailable when the token can't be judged
 * @see RFC 9068 §4, RFC 8725
 */
export function createAccessTokenVerification(rules: AccessTokenRules): AccessTokenVerification {
  const issuers = new Map(rules.issuers.map((issuer) => [issuer.issuer, issuer]));
  const introspections = rules.issuers.flatMap(({ introspection }) => introspection ?? []);
  return async (token, sender = UNKNOWN_SENDER) => {
    const claimed = issuerOf(token);
    if (claimed === undefined) return introspectByAny(token, sender, introspections);
    const issuer = issuers.get(claimed);
    if (!issuer) throw new InvalidAccessToken(`The issuer ${quoted(claimed)} is not trusted.`);
    const payload = await verify(token, issuer, rules);
    return callerOf(token, payload, issuer, rules);
  };
}

/** The first who knows an opaque token is its issuer. */
async function introspectByAny(
  token: string,
  sender: QueueCaller,
  introspections: readonly TokenIntrospection[],
): Promise<Caller> {
  let failure: unknown = new InvalidAccessToken('The token is no JWT.');
  for (const introspection of introspections) {
    try {
      return await introspection.introspect(token, sender);
    } catch (error) {
      if (!(failure instanceof KeysUnavailable)) failure = error; // one who can't be asked may know it
    }
  }
  throw failure;
}

/** The unverified issuer, which decides whose keys the signature is checked with; undefined of what is no JWT. */
function issuerOf(token: string): string | undefined {
  if (token.length > MAX_TOKEN_CHARACTERS)
    throw new InvalidAccessToken(`The token is longer than ${MAX_TOKEN_CHARACTERS} characters.`);
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    return undefined;
  }
}

async function verify(token: string, issuer: TrustedIssuer, rules: AccessTokenRules): Promise<JWTPayload> {
  const leewayS = rules.leewayS ?? authentication.members.leewayS.default;
  const now = (rules.now ?? Date.now)();
  try {
    const { payload, protectedHeader } = await jwtVerify(token, issuer.keys.findKey, {
      algorithms: issuer.rules.algorithms,
      issuer: issuer.issuer,
      clockTolerance: leewayS,
      currentDate: new Date(now),
      requiredClaims: ['sub', 'exp', 'iat'],
    });
    if ((payload.iat ?? 0) > now / 1_000 + leewayS)
      throw new InvalidAccessToken(`The claim "iat" is ${payload.iat}, which is in the future.`);
    assertHeader(protectedHeader, issuer.rules);
    assertClaims(payload, issuer.rules);
    return payload;
  } catch (error) {
    throw rejectionOf(error);
  }
}

function rejectionOf(error: unknown): unknown {
  if (error instanceof errors.JWTExpired)
    return new InvalidAccessToken(describe(error), 'The access token has expired.');
  if (error instanceof errors.JOSEError) return new InvalidAccessToken(describe(error));
  if (error instanceof InvalidAccessToken || error instanceof KeysUnavailable) return error;
  return new InvalidAccessToken(error instanceof Error ? error.message : 'unknown'); // jose throws a TypeError for keys of another kind
}

/** jose names the claim in its message. */
function describe({ code, message }: errors.JOSEError): string {
  return `${code}: ${message}`;
}

/** What a JWT is for is in its type: an ID token is no access token. RFC 8725 §3.11. */
function assertHeader({ typ }: JWTHeaderParameters, { types }: TokenRules): void {
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : 'none';
  if ((typ !== undefined && typeof typ !== 'string') || !types.includes(type))
    throw new InvalidAccessToken(`The header "typ" is ${quoted(typ)}; expected is ${types.join(' or ')}.`);
}

/** @throws InvalidAccessToken naming the claim */
function assertClaims(payload: JWTPayload, rules: TokenRules): void {
  const { sub } = payload;
  if (typeof sub !== 'string' || sub === '')
    throw new InvalidAccessToken(`The claim "sub" is ${quoted(sub)}.`);
  assertAudience(payload, rules);
  for (const [claim, values] of Object.entries(rules.marks ?? {})) {
    const value = ownOf(payload, claim);
    if (typeof value !== 'string' || !values.includes(value)) throw wrongClaim(claim, value, values);
  }
  for (const claim of rules.foreign ?? [])
    if (ownOf(payload, claim) !== undefined)
      throw new InvalidAccessToken(`The claim "${claim}" is that of an ID token, which is no access token.`);
}
