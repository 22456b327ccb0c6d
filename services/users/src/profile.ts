import { isTimeOrderedId, timeOfId } from '@trellis/subgraph-kit';
import type { Role, User } from '@trellis/subgraph-protocol';

/** What the users subgraph knows about someone. */
export interface Profile {
  readonly id: string;
  /** Null until a token or an administrator sets it. */
  readonly name: string | null;
  readonly email: string | null;
  readonly role: Role;
  readonly createdAt: Date;
}

/** What a token says about its user. */
export interface Claims {
  readonly id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly role: Role;
  /** Seconds since 1970. */
  readonly tokenIssuedAt: number;
}

const ROLES_FROM_THE_TOP: readonly Role[] = ['ADMIN', 'EDITOR', 'VIEWER'];

/** Of several roles the graph shows the one that may do most; no one is less than a viewer. */
export function highestRole(roles: readonly string[]): Role {
  return ROLES_FROM_THE_TOP.find((role) => roles.includes(role)) ?? 'VIEWER';
}

/** The claims of the user behind a request. */
export function claimsOf(user: User): Claims {
  return {
    id: user.id,
    name: user.name ?? null,
    email: user.email ?? null,
    role: highestRole(user.roles),
    tokenIssuedAt: user.tokenIssuedAt,
  };
}

/**
 * What to show of someone whom this subgraph has not met yet: they have written something, and their token has not been
 * here. No one else's response fails for that.
 */
export function nameless(id: string): Profile {
  const createdAt = isTimeOrderedId(id) ? timeOfId(id) : new Date(0);
  return { id, name: null, email: null, role: 'VIEWER', createdAt };
}

/** What to call someone: tokens without the scope `profile` carry no name, and `User.name` can't be null. */
export function displayName({ name, id }: Profile): string {
  return name ?? `User ${id.slice(-6)}`;
}
