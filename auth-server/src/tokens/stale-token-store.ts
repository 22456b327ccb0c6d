import type { RedisConnection } from '@trellis/redis';

/** Whose access tokens say more than is true by now. */
export type TokenHolder =
  | { readonly kind: 'user'; readonly subject: string }
  | { readonly kind: 'client'; readonly clientId: string };

/** What it goes by whether a token is stale. */
export interface HeldToken {
  readonly subject: string;
  readonly clientId: string;
  /** Clients whose tokens were exchanged for it. */
  readonly exchangedFrom: readonly string[];
  /** Seconds since 1970. */
  readonly issuedAt: number;
}

/** Remembers since when the access tokens of a user or a client are not honoured, as long as there may be any. */
export interface StaleTokenStore {
  /** @param untilS tokens that were issued up to this second are stale */
  mark(holder: TokenHolder, untilS: number): Promise<void>;
  isStale(token: HeldToken): Promise<boolean>;
}

/** The name of a holder, here and in the feed that resource servers read. */
export function holderName(holder: TokenHolder): string {
  return holder.kind === 'user' ? `user:${holder.subject}` : `client:${holder.clientId}`;
}

/** In Redis, a key a holder. @param revocationTtlS the longest lifetime of an access token, and skew */
export function createStaleTokenStore(redis: RedisConnection, revocationTtlS: number): StaleTokenStore {
  return {
    mark: async (holder, untilS) => {
      await redis.set(keyOf(holder), untilS, 'EX', revocationTtlS);
    },
    isStale: async ({ subject, clientId, exchangedFrom, issuedAt }) => {
      const holders: readonly TokenHolder[] = [
        ...[clientId, ...exchangedFrom].map((id) => ({ kind: 'client', clientId: id }) as const),
        ...(subject === clientId ? [] : [{ kind: 'user', subject } as const]),
      ];
      const marks = await Promise.all(holders.map((holder) => redis.get(keyOf(holder))));
      return marks.some((untilS) => untilS !== null && issuedAt <= Number(untilS));
    },
  };
}

function keyOf(holder: TokenHolder): string {
  return `revoked-before:{${holderName(holder)}}`;
}
