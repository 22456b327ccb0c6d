/** What an account may do. */
export type Role = 'ADMIN' | 'EDITOR' | 'VIEWER';

/** Every role, the one that may do most first. */
export const roles: readonly Role[] = Object.freeze(['ADMIN', 'EDITOR', 'VIEWER']);

/** Whether a text names a role. */
export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Whether someone whose role changes may do less than before: every role may do what those behind it may. */
export function mayLess(before: Role, after: Role): boolean {
  return roles.indexOf(after) > roles.indexOf(before);
}

/** A user who can sign in. */
export interface Account {
  /** UUID; the subject of tokens. */
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
  /** Further standard claims (OpenID Connect Core §5.1), by their names. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly disabled: boolean;
  /** Sessions and grants from before are not honoured. Milliseconds since 1970. */
  readonly credentialsChangedAt: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** What of an account goes into tokens, or decides whether there are any. */
export type AccountToday = Pick<
  Account,
  'id' | 'email' | 'name' | 'role' | 'disabled' | 'credentialsChangedAt'
>;

/** Whether what began with a sign-in at this moment (milliseconds since 1970) still holds for the account. */
export function honoursSignInAt(
  account: Pick<Account, 'disabled' | 'credentialsChangedAt'>,
  authenticatedAt: number,
): boolean {
  return !account.disabled && authenticatedAt >= account.credentialsChangedAt;
}
