import { createHash } from 'node:crypto';
import type { OutageLog } from '@trellis/runtime/outage-log';
import { LRUCache } from 'lru-cache';
import type { PersistedQuerySettings } from '../settings/persisted-queries.ts';
import type { CacheRedis } from './cache-redis.ts';

/** Texts of automatic persisted queries by their SHA-256. */
export interface PersistedQueryStore {
  /** Never rejects: a store that can't be asked knows nothing. */
  get(hash: string): Promise<string | undefined> | string | undefined;
  /** Whether it would store a text: one that is short enough, and that this process does not hold. */
  takes(hash: string, text: string): boolean;
  /** @param hash that of the text: the caller has checked it */
  set(hash: string, text: string): void;
}

/** What a store may hold: what was not used for longest goes first. */
export type PersistedQueryBounds = Pick<PersistedQuerySettings, 'memoryBytes' | 'textBytes' | 'lifetimeS'>;

/** What an entry takes beside its text: its hash, and its place in the maps. */
export const ENTRY_BYTES = 300;

/** A store in the memory of this process. */
export function createMemoryPersistedQueryStore({
  memoryBytes,
  textBytes,
  lifetimeS,
}: PersistedQueryBounds): PersistedQueryStore {
  const texts = new LRUCache<string, string>({
    maxSize: memoryBytes,
    sizeCalculation: (text) => Buffer.byteLength(text) + ENTRY_BYTES,
    ttl: lifetimeS * 1_000,
    ttlResolution: 1_000,
    updateAgeOnGet: true,
  });
  return {
    get: (hash) => texts.get(hash),
    takes: (hash, text) => !texts.has(hash) && Buffer.byteLength(text) <= textBytes,
    set: (hash, text) => void texts.set(hash, text),
  };
}

/** Settings of {@link createSharedPersistedQueryStore}. */
export interface SharedStoreOptions extends PersistedQueryBounds {
  readonly redis: CacheRedis;
  /** Hears whether Redis answers. */
  readonly outages: OutageLog;
}

const KEY_PREFIX = 'persisted-query:';

/**
 * A store that all gateways share through Redis, with a memory of its own before it. Without Redis it goes on as a store
 * in memory. What comes from Redis is hashed again: a writer there still can't change what a hash means.
 */
export function createSharedPersistedQueryStore(options: SharedStoreOptions): PersistedQueryStore {
  const { redis, lifetimeS, outages } = options;
  const memory = createMemoryPersistedQueryStore(options);

  async function fetchShared(hash: string): Promise<string | undefined> {
    try {
      const text = await redis.connection.getex(KEY_PREFIX + hash, 'EX', lifetimeS);
      outages.succeeded();
      if (text === null || createHash('sha256').update(text).digest('hex') !== hash) return undefined;
      memory.set(hash, text);
      return text;
    } catch (error) {
      outages.failed(error);
      return undefined;
    }
  }

  return {
    get: (hash) => memory.get(hash) ?? (redis.isUsable ? fetchShared(hash) : undefined),
    takes: (hash, text) => memory.takes(hash, text),
    set(hash, text) {
      memory.set(hash, text);
      if (redis.isUsable)
        redis.connection
          .set(KEY_PREFIX + hash, text, 'EX', lifetimeS)
          .then(outages.succeeded, outages.failed);
    },
  };
}
