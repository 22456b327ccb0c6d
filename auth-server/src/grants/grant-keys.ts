/**
 * The keys of one grant in Redis. The grant's id is the hash tag, so that all of them lie in one slot of a cluster and
 * one script may touch them.
 */
export const grantKeys: {
  /** The authorization code that the grant begins with. */
  readonly code: (grantId: string) => string;
  /** The device that waits for a user, if the grant begins with one. */
  readonly device: (grantId: string) => string;
  /** The grant itself; absent once it has ended. */
  readonly grant: (grantId: string) => string;
  /** There while access tokens of a revoked grant may still be about. Read by resource servers. */
  readonly revoked: (grantId: string) => string;
} = {
  code: (grantId) => `code:{${grantId}}`,
  device: (grantId) => `device:{${grantId}}`,
  grant: (grantId) => `grant:{${grantId}}`,
  revoked: (grantId) => `revoked:{${grantId}}`,
};
