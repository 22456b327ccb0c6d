import type { Caller } from './caller.ts';

/**
 * All users of an issuer with the roles and scopes of a caller, as if they were one. Who is no one stays so: there are no roles then, and
 * a right to be asked for is not there.
 */
export function groupOf(caller: Caller): Caller {
  if (!caller.authenticated) return caller;
  const scopes = [...caller.scopes].toSorted();
  const { issuer, policies } = caller.context;
  const groupRoles = [...(caller.context.user?.roles ?? [])].toSorted();
  return {
    authenticated: true,
    scopes: caller.scopes,
    claims: {},
    context: { ...(issuer !== undefined && { issuer }), groupRoles, scopes, ...(policies && { policies }) },
    token: undefined,
    grantId: undefined,
    expiresAtMs: Number.POSITIVE_INFINITY,
  };
}
