import { createHash } from 'node:crypto';
import type { RedisConnection } from '@trellis/redis';
import { LRUCache } from 'lru-cache';

/** Texts of automatic persisted queries by their SHA-256. */
export interface PersistedQueryStore {
  /** Never rejects: a store that can't be asked knows nothing. */
  get(hash: string): Promise<string | undefined> | string | undefined;
  /** @param hash that of the text: the caller has checked it */
  set(hash: string, text: string): void;
}

const MAX_CHARACTERS = 16_777_216;

/** A store in memory: at most 16 million characters, what was not used for longest goes first. */
export function createMemoryPersistedQueryStore(maxCharacters: number = MAX_CHARACTERS): PersistedQueryStore {
  return new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (text, hash) => text.length + hash.length,
  });
}

/** Settings of {@link createSharedPersistedQueryStore}. */
export interface SharedStoreOptions {
  readonly redis: RedisConnection;
  /** Seconds after its last use for which a text is kept. @default 86_400 */
  readonly lifetimeS?: number;
  /** Told when Redis fails. */
  readonly onError: (error: Error) => void;
}

const KEY_PREFIX = 'persisted-query:';
const DEFAULT_LIFETIME_S = 86_400;

/**
 * A store that all gateways share through Redis, with a memory of its own before it. Without Redis it goes on as a store
 * in memory. What comes from Redis is hashed again: whoever can write there still can't change what a hash means.
 */
export function createSharedPersistedQueryStore(options: SharedStoreOptions): PersistedQueryStore {
  const { redis, lifetimeS = DEFAULT_LIFETIME_S, onError } = options;
  const memory = createMemoryPersistedQueryStore();

  async function fetchShared(hash: string): Promise<string | undefined> {
    try {
      const text = await redis.getex(KEY_PREFIX + hash, 'EX', lifetimeS);
      if (text === null || createHash('sha256').update(text).digest('hex') !== hash) return undefined;
      memory.set(hash, text);
      return text;
    } catch (error) {
      onError(error as Error); // ioredis rejects with Errors
      return undefined;
    }
  }

  return {
    get: (hash) => memory.get(hash) ?? (redis.status === 'ready' ? fetchShared(hash) : undefined),
    set(hash, text) {
      memory.set(hash, text);
      if (redis.status === 'ready') redis.set(KEY_PREFIX + hash, text, 'EX', lifetimeS).catch(onError);
    },
  };
}
