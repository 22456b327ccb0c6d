import { PASSWORD } from '../accounts/authentication-context.ts';
import type { AccountToday } from '../accounts/accounts.ts';

/** How and when a user has signed in, as tokens say it. */
export interface SignInClaims {
  /** Seconds since 1970; undefined where no one has said it. */
  readonly authenticatedAt: number | undefined;
  /** OpenID Connect Core §2; undefined where no one has said it. */
  readonly acr: string | undefined;
}

/** Whom an access token is about. */
export interface TokenUser {
  /** The claim `sub`. */
  readonly id: string;
  /** Undefined for a user without an account here. */
  readonly account: AccountToday | undefined;
  /** The trusted issuer that alone knows the user; undefined for those with an account. */
  readonly issuer: string | undefined;
  readonly signIn: SignInClaims;
}

/** Someone who has signed in here. @param authenticatedAt milliseconds since 1970 */
export function signedInUser(account: AccountToday, authenticatedAt: number): TokenUser {
  const signIn = { authenticatedAt: Math.floor(authenticatedAt / 1000), acr: PASSWORD.acr };
  return { id: account.id, account, issuer: undefined, signIn };
}

/** What an access token says of its user. Members that are undefined are left out. RFC 9068 §2.2 */
export function claimsOfUser(
  { account, issuer, signIn }: TokenUser,
  scopes: readonly string[],
): Record<string, unknown> {
  return {
    auth_time: signIn.authenticatedAt,
    acr: signIn.acr,
    roles: account ? [account.role] : [],
    name: scopes.includes('profile') ? account?.name : undefined,
    email: scopes.includes('email') ? account?.email : undefined,
    subject_issuer: issuer,
  };
}
