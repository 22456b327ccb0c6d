import type { Role, UserContext } from '@trellis/user-context';

/** Whether the user behind the request has a role. */
export function hasRole(context: UserContext, role: Role): boolean {
  return context.user?.roles.includes(role) ?? false;
}

/** Editors and administrators: they see drafts, and may change what others wrote. Requirements: Roles. */
export function isEditor(context: UserContext): boolean {
  return hasRole(context, 'EDITOR') || hasRole(context, 'ADMIN');
}
