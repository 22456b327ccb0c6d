import { forbidden, type Role, unauthenticated, type UserContext } from '@trellis/subgraph-protocol';
import { parseId } from './ids.ts';

/** Whether the user behind the request has a role, or everybody of the group that it stands for. */
export function hasRole({ user, groupRoles }: UserContext, role: Role): boolean {
  return (user?.roles ?? groupRoles)?.includes(role) ?? false;
}

/** Editors and administrators: they see drafts, and may change what others wrote. */
export function isEditor(context: UserContext): boolean {
  return hasRole(context, 'EDITOR') || hasRole(context, 'ADMIN');
}

/**
 * The id of the user behind a request that needs one.
 *
 * @throws GraphQLError UNAUTHENTICATED for no one, FORBIDDEN for a client that acts for itself
 */
export function requireUserId({ user, clientId }: UserContext): string {
  if (!user && !clientId) throw unauthenticated();
  const id = parseId(user?.id ?? '');
  if (id === undefined) throw forbidden('Only a user of this graph may do this.');
  return id;
}
