/** The grants whose tokens are no longer good although they have not expired. */
export interface RevokedGrants {
  /** Asked on every request, so it answers from memory. */
  has(grantId: string): boolean;
  /** Calls back when a grant is revoked: what runs in its name for longer than a request has to end. @returns ends it */
  onRevoked(listener: (grantId: string) => void): () => void;
}

/** Where no feed of revocations is configured, tokens hold until they expire. */
export const NO_REVOKED_GRANTS: RevokedGrants = Object.freeze({
  has: () => false,
  onRevoked: () => () => undefined,
});
