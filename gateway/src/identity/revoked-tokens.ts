import type { Caller } from './caller.ts';

/** What revocations go by: the grant, the user, the client and the time of a token. */
export type TokenHolder = Pick<Caller, 'claims' | 'grantId'>;

/** The tokens that are no longer good although they have not expired. */
export interface RevokedTokens {
  /** Asked on every request, so it answers from memory. */
  has(holder: TokenHolder): boolean;
  /**
   * Calls back when tokens are revoked, with a predicate for the tokens concerned: what runs with one of them for longer than a
   * request has to end. @returns ends it
   */
  onRevoked(listener: (concerns: (holder: TokenHolder) => boolean) => void): () => void;
}

/** Where no feed of revocations is configured, tokens hold until they expire. */
export const NO_REVOKED_TOKENS: RevokedTokens = Object.freeze({
  has: () => false,
  onRevoked: () => () => undefined,
});
