import { S3FifoCache } from 'trellis/programs';
import { LRUCache } from 'lru-cache';
import { SegmentedLru } from './segmented-lru.ts';
import { SieveCache } from './sieve-cache.ts';
import { TinyLfuCache } from './tiny-lfu-cache.ts';

/** A bounded memory of keys. */
export interface CachePolicy {
  /** @returns whether the key was there; it is taken in otherwise, or not, as the policy says */
  use(key: string): boolean;
}

interface Cache {
  get(key: string): object | undefined;
  set(key: string, value: object): unknown;
}

const VALUE = Object.freeze({});

/** What is compared, by its name. */
export const cachePolicies: Readonly<Record<string, (maxEntries: number) => CachePolicy>> = {
  LRU: (max) => policyOf(new LRUCache<string, object>({ max })),
  'segmented LRU': (maxEntries) => policyOf(new SegmentedLru({ maxEntries })),
  'W-TinyLFU': (maxEntries) => policyOf(new TinyLfuCache(maxEntries)),
  SIEVE: (maxEntries) => policyOf(new SieveCache(maxEntries)),
  'S3-FIFO': (maxEntries) => policyOf(new S3FifoCache({ maxEntries })),
};

function policyOf(cache: Cache): CachePolicy {
  return {
    use(key) {
      if (cache.get(key)) return true;
      cache.set(key, VALUE);
      return false;
    },
  };
}
