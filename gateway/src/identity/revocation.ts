import type { Caller } from './caller.ts';

/** One entry of the feed of revocations. */
export type Revocation =
  | { readonly kind: 'grant'; readonly grantId: string }
  | {
      /** Tokens of a user or a client that were issued up to a second: they say more than is true by now. */
      readonly kind: 'issued-before';
      /** Whose tokens they are: one of their {@link holderKeysOf}. */
      readonly holder: string;
      /** Seconds since 1970, itself included. */
      readonly untilS: number;
    };

const ISSUED_BEFORE = /^revoked-before:((?:user|client):.+):(\d{1,12})$/s;

/** Reads an entry: the id of a grant, or `revoked-before:user:ID:SECOND`, or `revoked-before:client:ID:SECOND`. */
export function parseRevocation(text: string): Revocation {
  const [, holder, second] = ISSUED_BEFORE.exec(text) ?? [];
  if (holder === undefined || second === undefined) return { kind: 'grant', grantId: text };
  return { kind: 'issued-before', holder, untilS: Number(second) };
}

/**
 * The keys of a token's user and clients, as entries name them. A token that was exchanged (RFC 8693) names those clients too whose
 * tokens led to it, as it ends with theirs.
 */
export function holderKeysOf({ claims }: TokenHolder): readonly string[] {
  const { sub, client_id: clientId, exchanged_from: exchangedFrom } = claims;
  return [
    ...(typeof sub === 'string' && sub !== clientId ? [`user:${sub}`] : []),
    ...(typeof clientId === 'string' ? [`client:${clientId}`] : []),
    ...(Array.isArray(exchangedFrom) ? exchangedFrom.map((id) => `client:${String(id)}`) : []),
  ];
}

/** When a token was issued, seconds since 1970; one that does not say so is as old as can be. */
export function issuedAtOf({ claims: { iat } }: TokenHolder): number {
  return typeof iat === 'number' ? iat : 0;
}

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
