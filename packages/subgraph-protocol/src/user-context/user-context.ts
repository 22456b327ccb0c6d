/** The request header that carries the signed context from the gateway to a subgraph. Clients can't set it: the gateway strips it. */
export const USER_CONTEXT_HEADER = 'trellis-user-context';

/** The `typ` of the token, so that no other JWT of the platform passes for one (RFC 8725 §3.11). */
export const USER_CONTEXT_TYPE = 'trellis-context+jwt';

/** Signature algorithm of the token. */
export const USER_CONTEXT_ALGORITHM = 'ES256';

/** A policy of this name holds for callers with a role: `role:ADMIN`. */
export const ROLE_POLICY_PREFIX = 'role:';

/** Roles of the content graph. See docs/contract.md#who-may-do-what. */
export type Role = 'ADMIN' | 'EDITOR' | 'VIEWER';

/** The user behind a request. */
export interface User {
  /**
   * `User.id` in the graph. Of the first issuer, and of those whose users are linked to its own, the access token's `sub`; of
   * further ones a UUID that is made of issuer and `sub`, so that no two users share it.
   */
  readonly id: string;
  readonly roles: readonly string[];
  readonly name?: string;
  readonly email?: string;
  /** When the access token was issued, seconds since 1970: the newest wins when a profile follows its token. */
  readonly tokenIssuedAt: number;
}

/** Who is asking, and with what rights. */
export interface UserContext {
  /** The issuer of the access token, its `iss`; absent for anonymous requests. */
  readonly issuer?: string;
  /** Absent for anonymous requests, and for clients that act on their own behalf (client_credentials). */
  readonly user?: User;
  /**
   * Roles that all of a group of users have, where the context stands for the group: then there is no `user`. A
   * subscription field marked `@sharedSubscription` is asked for in the name of all who have the same roles and scopes.
   */
  readonly groupRoles?: readonly string[];
  /** The OAuth client, as its issuer names it; absent for anonymous requests. */
  readonly clientId?: string;
  readonly scopes: readonly string[];
  /** Names of the gateway's policies that hold, `role:X` left out: those are the roles. Absent: none. */
  readonly policies?: readonly string[];
  /** The grant behind the access token. */
  readonly grantId?: string;
}

/** A context that is missing, forged, expired, or meant for another subgraph. The message says which, for the log alone. */
export class InvalidUserContext extends Error {
  override readonly name = 'InvalidUserContext';
}
