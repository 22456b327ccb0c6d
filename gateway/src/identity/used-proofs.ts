import { LRUCache } from 'lru-cache';
import type { CacheRedis } from '../caching/cache-redis.ts';

/** Remembers what may be used once. */
export interface UsedProofs {
  /**
   * @param id names it for all times
   * @returns whether it was not used before
   */
  markUsed(id: string): Promise<boolean>;
}

/** Settings of {@link createUsedProofs}. */
export interface UsedProofsOptions {
  /** Shared by all gateways; absent: each process for itself. */
  readonly redis: CacheRedis | undefined;
  /** Seconds after which it would be rejected for its age. */
  readonly lifetimeS: number;
  /** How many are remembered here. @default 100_000 */
  readonly maxRemembered?: number;
}

const KEY_PREFIX = 'dpop-proof:';

/** In memory, and in Redis for all gateways together; while Redis is unavailable, in memory alone. */
export function createUsedProofs(options: UsedProofsOptions): UsedProofs {
  const { redis, lifetimeS, maxRemembered = 100_000 } = options;
  // With `max`, room for all of them would be taken at once: some 6 MB, where most gateways see no proof at all.
  const used = new LRUCache<string, true>({
    maxSize: maxRemembered,
    sizeCalculation: () => 1,
    ttl: lifetimeS * 1_000,
  });

  async function isFirstInRedis(id: string): Promise<boolean> {
    if (!redis?.isUsable) return true;
    try {
      return (await redis.connection.set(KEY_PREFIX + id, '1', 'EX', lifetimeS, 'NX')) === 'OK';
    } catch {
      return true; // its connection logs the outage
    }
  }

  return {
    async markUsed(id) {
      if (used.has(id)) return false;
      used.set(id, true);
      return isFirstInRedis(id);
    },
  };
}
