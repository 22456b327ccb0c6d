import type { RedisConnection } from '@trellis/redis';
import type { RevokedGrants } from './revoked-grants.ts';

/** Revoked grants as the auth-server tells of them, kept in memory. */
export interface RevocationFeed extends RevokedGrants {
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
  /** Seconds since 1970. @default the clock */
  readonly nowS?: () => number;
  /** Told when Redis can't be asked. What is known stays known. */
  readonly onError: (error: Error) => void;
}

/** Sorted set of grants; the score is the second after which one may be forgotten. Also the channel that names new ones. */
const REVOCATIONS = 'revocations';
/** How long a grant is kept that was only heard of on the channel, until the set says how long it matters. */
const HEARSAY_S = 3_600;

/**
 * Follows the revocations that an auth-server publishes in Redis: a message within milliseconds, and the whole set at
 * the start, after each reconnection and now and then. While Redis is away, tokens are judged by what is known.
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
  readonly #listeners = new Set<(grantId: string) => void>();
  #poll: NodeJS.Timeout | undefined;

  constructor(options: RevocationFeedOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { subscriber, pollMs = 10_000 } = this.#options;
    subscriber.on('message', (_channel: string, grantId: string) => {
      this.#learn(grantId, this.#nowS() + HEARSAY_S);
    });
    subscriber.on('ready', () => void this.#catchUp());
    this.#poll = setInterval(() => void this.#refresh(), pollMs);
    this.#poll.unref();
    await this.#catchUp();
  }

  has(grantId: string): boolean {
    return this.#forgetAtS.has(grantId);
  }

  onRevoked(listener: (grantId: string) => void): () => void {
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
      for (const [grantId, forgetAtS] of this.#forgetAtS)
        if (forgetAtS < nowS) this.#forgetAtS.delete(grantId);
    } catch (error) {
      this.#options.onError(error as Error); // ioredis rejects with Errors
    }
  }

  #learn(grantId: string, forgetAtS: number): void {
    const isNew = !this.#forgetAtS.has(grantId);
    this.#forgetAtS.set(grantId, forgetAtS);
    if (isNew) for (const listener of this.#listeners) listener(grantId);
  }
}
