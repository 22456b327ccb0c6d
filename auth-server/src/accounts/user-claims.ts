import type { Account } from './accounts.ts';

/** Standard claims by the scope that asks for them. OpenID Connect Core §5.4 */
const CLAIMS_BY_SCOPE: Readonly<Record<string, readonly string[]>> = {
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
};

/** Every claim about a user that there may be, for discovery. */
export const supportedClaims: readonly string[] = ['sub', ...Object.values(CLAIMS_BY_SCOPE).flat()];

/** The claims about a user that the scopes allow; one without a value is left out. */
export function userClaims(account: Account, scopes: readonly string[]): Record<string, unknown> {
  const known: Record<string, unknown> = {
    ...account.claims,
    name: account.name,
    email: account.email,
    email_verified: account.emailVerified,
    updated_at: Math.floor(account.updatedAt / 1000),
  };
  const names = Object.entries(CLAIMS_BY_SCOPE).flatMap(([scope, claims]) =>
    scopes.includes(scope) ? claims : [],
  );
  const claims = names.flatMap((name) => (Object.hasOwn(known, name) ? [[name, known[name]] as const] : []));
  return { sub: account.id, ...Object.fromEntries(claims) };
}
