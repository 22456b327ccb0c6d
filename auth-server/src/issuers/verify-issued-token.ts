import { decodeJwt, errors, jwtVerify, type JWTPayload } from 'jose';
import { KeysUnavailable } from '../outbound/fetched-key-set.ts';
import type { FindIssuerKey } from './issuer-keys.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';

/** Longest token that is looked at, characters. */
const MAX_LENGTH = 16_384;
/** Most seconds from now to the end of a token, and from its beginning to now. */
const MAX_LIFETIME_S = 3_600;
/** Seconds by which clocks may differ. */
const SKEW_S = 30;
/** Longest `sub` and `jti`, characters. OpenID Connect Core §2 */
const MAX_NAME_LENGTH = 255;

/** A token of a trusted issuer that has been verified. */
export interface IssuedToken {
  readonly subject: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  readonly tokenId: string | undefined;
  /** When the issuer says that the user signed in there, seconds since 1970. */
  readonly authenticatedAt: number | undefined;
  /** The claim as it came. RFC 8693 §4.4 */
  readonly mayAct: unknown;
}

/** A verified token, or what is wrong with it, for the log. */
export type IssuedTokenOutcome =
  | { readonly kind: 'token'; readonly token: IssuedToken }
  | { readonly kind: 'problem'; readonly problem: string };

/** What verification needs to know. */
export interface IssuedTokenContext {
  readonly issuer: TrustedIssuer;
  readonly findKey: FindIssuerKey;
  /** Values of `aud` that do. */
  readonly audiences: readonly string[];
  /** Values of the header `typ` that do; tokens without it do as well. */
  readonly types: readonly string[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Who a token claims to be from; nothing is verified yet. */
export function claimedIssuer(token: string): string | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/**
 * Verifies a token of a trusted issuer: signature by one of its keys, type, issuer, one audience that is meant for here, its time.
 *
 * @throws KeysUnavailable when its keys can't be had now
 * @see RFC 7523 §3, RFC 8725
 */
export async function verifyIssuedToken(
  token: string,
  { issuer, findKey, audiences, types, clock }: IssuedTokenContext,
): Promise<IssuedTokenOutcome> {
  if (token.length > MAX_LENGTH) return problem('too long');
  try {
    const { payload, protectedHeader } = await jwtVerify(token, findKey, {
      algorithms: [...issuer.algorithms],
      issuer: issuer.issuer,
      audience: [...audiences],
      requiredClaims: ['sub', 'exp'],
      clockTolerance: SKEW_S,
      currentDate: new Date(clock()),
    });
    const wrong = typeProblem(protectedHeader.typ, types) ?? claimsProblem(payload, clock() / 1000);
    return wrong === undefined ? { kind: 'token', token: toIssuedToken(payload) } : problem(wrong);
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error;
    if (error instanceof errors.JOSEError || error instanceof TypeError) return problem(error.message); // of jose, for keys of another kind
    throw error;
  }
}

function problem(text: string): IssuedTokenOutcome {
  return { kind: 'problem', problem: text };
}

/** What a JWT is for is in its type: of another type it was made for something else. RFC 8725 §3.11 */
function typeProblem(typ: unknown, types: readonly string[]): string | undefined {
  if (typ === undefined) return undefined;
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
  return types.includes(type) ? undefined : 'typ is that of another kind of token';
}

function claimsProblem(claims: JWTPayload, nowS: number): string | undefined {
  const { sub, aud, exp = 0, iat, jti } = claims;
  const problems: readonly (readonly [boolean, string])[] = [
    [!isName(sub), 'sub is no text of 1 to 255 characters'],
    [Array.isArray(aud) && aud.length !== 1, 'aud names others as well'],
    [exp > nowS + MAX_LIFETIME_S, 'lives too long'],
    [iat !== undefined && iat > nowS + SKEW_S, 'iat is in the future'],
    [iat !== undefined && iat < nowS - MAX_LIFETIME_S - SKEW_S, 'was issued too long ago'],
    [jti !== undefined && !isName(jti), 'jti is no text of 1 to 255 characters'],
    [claims['act'] !== undefined, 'act: was delegated elsewhere'],
    [claims['cnf'] !== undefined, 'cnf: is bound to a key that is not proven here'],
  ];
  return problems.find(([holds]) => holds)?.[1];
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH;
}

function toIssuedToken(claims: JWTPayload): IssuedToken {
  const authTime = claims['auth_time'];
  return {
    subject: claims.sub ?? '',
    expiresAt: claims.exp ?? 0,
    tokenId: claims.jti,
    authenticatedAt: typeof authTime === 'number' ? authTime : undefined,
    mayAct: claims['may_act'],
  };
}
