/** The grants whose tokens are no longer good although they have not expired. */
export interface RevokedGrants {
  /** Asked on every request, so it answers from memory. */
  has(grantId: string): boolean;
}

/** Where no feed of revocations is configured, tokens hold until they expire. */
export const NO_REVOKED_GRANTS: RevokedGrants = Object.freeze({ has: () => false });
