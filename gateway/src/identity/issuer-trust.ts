import type { IssuerSettings } from '../settings/authentication.ts';

/** What the tokens of an issuer may say of its users. */
export interface IssuerTrust {
  /** Scopes that they may give; absent: all. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** Roles that they may give; absent: all. */
  readonly roles: ReadonlySet<string> | undefined;
  /** Policies of the operator that their claims may meet; absent: all. */
  readonly policies: ReadonlySet<string> | undefined;
  /**
   * `first`: a `sub` is the id of a user. `own`: it is one among the users of this issuer alone, whatever other issuers call
   * theirs.
   */
  readonly users: 'first' | 'own';
}

/** Of the issuer whose users are those of the graph. */
export const FULL_TRUST: IssuerTrust = Object.freeze({
  scopes: undefined,
  roles: undefined,
  policies: undefined,
  users: 'first',
});

/**
 * What an issuer is trusted with. The first may give whatever it is not restricted in; further ones nothing but what the operator
 * allows each of them.
 */
export function trustOf(
  { scopes, roles, policies, users }: Pick<IssuerSettings, 'scopes' | 'roles' | 'policies' | 'users'>,
  isFirst: boolean,
): IssuerTrust {
  const allowed = (names: readonly string[] | undefined): ReadonlySet<string> | undefined =>
    names || !isFirst ? new Set(names) : undefined;
  return {
    scopes: allowed(scopes),
    roles: allowed(roles),
    policies: allowed(policies),
    users: isFirst || users === 'linked' ? 'first' : 'own',
  };
}
