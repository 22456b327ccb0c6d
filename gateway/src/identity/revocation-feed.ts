import type { RedisConnection } from '@trellis/redis';
import { redisNames } from '@trellis/subgraph-protocol/redis-names';
import {
  holderKeysOf,
  issuedAtOf,
  parseRevocation,
  type Revocation,
  type RevokedTokens,
  type TokenHolder,
} from './revocation.ts';

/** Revoked tokens as published by the auth-server, in memory. */
export interface RevocationFeed extends RevokedTokens {
  close(): Promise<void>;
}

/** Settings of {@link startRevocationFeed}. */
export interface RevocationFeedOptions {
  /** For commands; may be shared with others. */
  readonly redis: RedisConnection;
  /** A connection of its own: one that subscribes can do nothing else. The feed ends it. */
  readonly subscriber: RedisConnection;
  /** Milliseconds between two readings of the whole set, which make up for messages that were missed. @default 10_000 */
  readonly pollMs?: number;
  /** Whose tokens the entries are about, where several issuers are trusted. @default every issuer */
  readonly issuer?: string | undefined;
  /** Seconds since 1970. @default the clock */
  readonly nowS?: () => number;
  /** Called when Redis is unavailable. Known revocations stay in force. */
  readonly onError: (error: Error) => void;
}

/** Sorted set of entries; the score is the second after which one may be forgotten. Also the channel that names new ones. */
const REVOCATIONS = redisNames.revocations;
/** How long an entry of the channel is stored, until the set says how long it matters. */
const UNCONFIRMED_S = 3_600;

/**
 * Follows the revocations that an auth-server publishes in Redis: a message within milliseconds, and the whole set at
 * the start, after each reconnection and now and then. While Redis is unavailable, known revocations stay in force.
 */
export async function startRevocationFeed(options: RevocationFeedOptions): Promise<RevocationFeed> {
  const feed = new Feed(options);
  await feed.start();
  return feed;
}

class Feed implements RevocationFeed {
  readonly #options: RevocationFeedOptions;
  /** The second after which each may be forgotten. */
  readonly #forgetAtS = new Map<string, number>();
  /** Second up to which the tokens of a user or a client are revoked. */
  readonly #issuedBefore = new Map<string, number>();
  readonly #listeners = new Set<Parameters<RevokedTokens['onRevoked']>[0]>();
  #poll: NodeJS.Timeout | undefined;

  constructor(options: RevocationFeedOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { subscriber, pollMs = 10_000 } = this.#options;
    subscriber.on('message', (_channel: string, entry: string) => {
      this.#learn(entry, this.#nowS() + UNCONFIRMED_S);
    });
    subscriber.on('ready', () => void this.#catchUp());
    this.#poll = setInterval(() => void this.#refresh(), pollMs);
    this.#poll.unref();
    await this.#catchUp();
  }

  has(holder: TokenHolder): boolean {
    if (holder.grantId !== undefined && this.#forgetAtS.has(holder.grantId)) return true;
    if (this.#issuedBefore.size === 0 || !this.#isConcerned(holder)) return false;
    return holderKeysOf(holder).some((key) => this.#isStale(holder, key));
  }

  onRevoked(listener: Parameters<RevokedTokens['onRevoked']>[0]): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
    this.#options.subscriber.disconnect();
  }

  #nowS(): number {
    return this.#options.nowS?.() ?? Date.now() / 1_000;
  }

  /** First the channel, then the set: what is revoked between the two is heard of twice, and never missed. */
  async #catchUp(): Promise<void> {
    try {
      await this.#options.subscriber.subscribe(REVOCATIONS);
    } catch (error) {
      this.#options.onError(error as Error); // ioredis rejects with Errors
    }
    await this.#refresh();
  }

  async #refresh(): Promise<void> {
    try {
      const nowS = this.#nowS();
      const pairs = await this.#options.redis.zrangebyscore(REVOCATIONS, nowS, '+inf', 'WITHSCORES');
      for (let index = 0; index + 1 < pairs.length; index += 2)
        this.#learn(pairs[index] ?? '', Number(pairs[index + 1]));
      for (const [entry, forgetAtS] of this.#forgetAtS) if (forgetAtS < nowS) this.#forget(entry);
    } catch (error) {
      this.#options.onError(error as Error); // ioredis rejects with Errors
    }
  }

  #learn(entry: string, forgetAtS: number): void {
    const isNew = !this.#forgetAtS.has(entry);
    this.#forgetAtS.set(entry, forgetAtS);
    if (!isNew) return;
    const revocation = parseRevocation(entry);
    if (revocation.kind === 'issued-before') {
      const { holder, untilS } = revocation;
      this.#issuedBefore.set(holder, Math.max(untilS, this.#issuedBefore.get(holder) ?? 0));
    }
    const concerns = this.#concernOf(revocation);
    for (const listener of this.#listeners) listener(concerns);
  }

  #concernOf(revocation: Revocation): (holder: TokenHolder) => boolean {
    if (revocation.kind === 'grant') return ({ grantId }) => grantId === revocation.grantId;
    return (holder) =>
      this.#isConcerned(holder) && holderKeysOf(holder).includes(revocation.holder) && this.has(holder);
  }

  #forget(entry: string): void {
    this.#forgetAtS.delete(entry);
    const revocation = parseRevocation(entry);
    if (revocation.kind !== 'issued-before') return;
    const { holder, untilS } = revocation;
    if (this.#issuedBefore.get(holder) === untilS) this.#issuedBefore.delete(holder);
  }

  #isStale(holder: TokenHolder, key: string): boolean {
    const untilS = this.#issuedBefore.get(key);
    return untilS !== undefined && issuedAtOf(holder) <= untilS;
  }

  #isConcerned({ claims }: TokenHolder): boolean {
    return this.#options.issuer === undefined || claims['iss'] === this.#options.issuer;
  }
}
