import {
  StartupError,
  isProduction,
  type Logger,
  type OperationsRoutes,
  type Resources,
} from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { PROOF_WINDOW_S } from '@trellis/runtime/dpop';
import { createActivityStream } from '@trellis/subgraph-protocol';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startRevocationFeed, type RevocationFeed } from '../identity/revocation-feed.ts';
import { createUsedProofs, type UsedProofs } from '../identity/used-proofs.ts';
import { openCacheRedis, type CacheRedis, type OpenCacheRedis } from '../caching/cache-redis.ts';
import {
  createMemoryPersistedQueryStore,
  createSharedPersistedQueryStore,
  type PersistedQueryBounds,
  type PersistedQueryStore,
} from '../caching/persisted-query-store.ts';
import type { GatewayConfig } from '../config/config.ts';
import { settingsInUse } from '../config/settings-in-use.ts';
import {
  NO_ACTIVITY,
  startActivityPublisher,
  type ActivityPublisher,
} from '../identity/activity-publisher.ts';
import { createStorageShares, type StorageShares } from '../caching/storage-shares.ts';
import { addInvalidationRoute } from '../http/routes/invalidation-route.ts';
import { Invalidations } from '../response-cache/invalidations.ts';
import { ResponseCache } from '../response-cache/response-cache.ts';
import { createResponseCacheMetrics } from '../observability/operation-metrics.ts';
import type { Opened } from './replaceable.ts';

/** What gateways share through Redis, and what they do in its place without one. */
export interface RedisResources {
  /** For what clients can have stored; absent where no Redis is configured for it. */
  readonly cacheRedis: CacheRedis | undefined;
  readonly revocations: RevocationFeed | undefined;
  /** Publishes to the users subgraph which users are online. */
  readonly activity: ActivityPublisher;
  /** The store that has the bounds; another one where they have changed. */
  persistedQueriesIn(bounds: PersistedQueryBounds): PersistedQueryStore;
  readonly storageShares: StorageShares;
  readonly usedProofs: UsedProofs;
  /** Opens the response cache at an address. */
  openResponseCache(address: CacheAddress): Promise<Opened<ResponseCache>>;
}

/**
 * Opens them. Redis need not be there yet.
 *
 * @returns with what ends them
 */
export async function openRedisResources(
  config: GatewayConfig,
  logger: Logger,
  metrics: Resources['metrics'],
): Promise<RedisResources & { close(): Promise<void> }> {
  const { REDIS_URL: url, CACHE_REDIS_URL: cacheUrl } = config;
  const redis = url === undefined ? undefined : connect(url, 'commands', logger);
  const open: Closeable[] = [];
  const openCache = async (cache: NamedCache): Promise<CacheRedis> => {
    const opened = await openFitCache(cache, { config, redis, logger });
    open.push(opened);
    return opened;
  };
  try {
    const cacheRedis =
      cacheUrl === undefined
        ? undefined
        : await openCache({ url: cacheUrl, setting: 'CACHE_REDIS_URL', purpose: 'cache' });
    const storageShares = createStorageShares(settingsInUse(config));
    const observer = createResponseCacheMetrics(metrics);
    const activity = publishActivity(config, redis, logger);
    const revocations = await followRevocations(config, redis, logger);
    return {
      cacheRedis,
      revocations,
      activity,
      persistedQueriesIn: createPersistedQueries(cacheRedis, logger),
      storageShares,
      usedProofs: createUsedProofs({ redis: cacheRedis, lifetimeS: 2 * PROOF_WINDOW_S }),
      async openResponseCache(address) {
        const cache = { ...address, purpose: 'response-cache' };
        const opened = await openFitCache(cache, { config, redis, logger });
        return {
          value: new ResponseCache({ redis: opened, observer, shares: storageShares.responses }),
          close: async () => opened.close(),
        };
      },
      async close() {
        await revocations?.close();
        await activity.close();
        redis?.disconnect();
        for (const cache of open) cache.close();
      },
    };
  } catch (error) {
    redis?.disconnect();
    for (const cache of open) cache.close();
    throw error;
  }
}

interface Closeable {
  close(): void;
}

/** Where a Redis for what clients can have stored is, and which setting says so. */
export interface CacheAddress {
  readonly url: string;
  readonly setting: string;
}

interface NamedCache extends CacheAddress {
  readonly purpose: string;
}

interface CacheContext {
  readonly config: GatewayConfig;
  readonly redis: RedisConnection | undefined;
  readonly logger: Logger;
}

/** @throws StartupError in production, where it is reached and not fit */
async function openFitCache(
  { url, setting, purpose }: NamedCache,
  { config, redis, logger }: CacheContext,
): Promise<OpenCacheRedis> {
  const production = isProduction(config);
  const { REDIS_URL: signInUrl } = config;
  const cache = await openCacheRedis({
    url,
    setting,
    name: `trellis-gateway-${purpose}`,
    commandTimeoutMs: config.CACHE_REDIS_TIMEOUT_MS,
    signIn: redis && signInUrl !== undefined ? { url: signInUrl, connection: redis } : undefined,
    onError: (error) => warnOfOutage(error, logger),
    onUnfit: (problems) => {
      if (production) logger.error({ problems }, 'cache Redis unsuitable; not used');
      else logger.warn({ problems }, 'cache Redis unsuitable; production would reject it');
      return !production;
    },
  });
  if (!production || cache.problems.length === 0) return cache;
  cache.close();
  throw new StartupError(cache.problems.join('\n'));
}

function warnOfOutage(error: Error, logger: Logger): void {
  logger.warn({ reason: error.message }, "Redis can't be reached; the gateway goes on without it");
}

function connect(url: string, purpose: string, logger: Logger): RedisConnection {
  return connectRedis({
    url,
    name: `trellis-gateway-${purpose}`,
    onError: (error) => warnOfOutage(error, logger),
  });
}

function publishActivity(
  { PRESENCE_INTERVAL_S: intervalS }: GatewayConfig,
  redis: RedisConnection | undefined,
  logger: Logger,
): ActivityPublisher {
  if (!redis || intervalS === 0) return NO_ACTIVITY;
  return startActivityPublisher({
    stream: createActivityStream(redis),
    intervalMs: intervalS * 1_000,
    onError: (error) => logger.warn({ reason: error.message }, 'publishing presence failed'),
  });
}

async function followRevocations(
  { REDIS_URL: url, TOKEN_ISSUER: issuer }: GatewayConfig,
  redis: RedisConnection | undefined,
  logger: Logger,
): Promise<RevocationFeed | undefined> {
  if (url === undefined || redis === undefined) return undefined;
  return startRevocationFeed({
    redis,
    subscriber: connect(url, 'revocations', logger),
    issuer,
    onError: (error) => logger.warn({ err: error }, 'revocation feed interrupted'),
  });
}

function createPersistedQueries(
  redis: CacheRedis | undefined,
  logger: Logger,
): RedisResources['persistedQueriesIn'] {
  let open: { readonly bounds: string; readonly store: PersistedQueryStore } | undefined;
  return ({ memoryBytes, textBytes, lifetimeS }) => {
    const wanted = { memoryBytes, textBytes, lifetimeS };
    const bounds = JSON.stringify(wanted);
    if (open?.bounds !== bounds) open = { bounds, store: openPersistedQueries(wanted, redis, logger) };
    return open.store;
  };
}

function openPersistedQueries(
  bounds: PersistedQueryBounds,
  redis: CacheRedis | undefined,
  logger: Logger,
): PersistedQueryStore {
  if (!redis) return createMemoryPersistedQueryStore(bounds);
  return createSharedPersistedQueryStore({
    ...bounds,
    redis,
    outages: createOutageLog({
      logger,
      failure: 'persisted query sharing unavailable',
      success: 'persisted query sharing available again',
    }),
  });
}

/** Where responses are stored; undefined where none are. */
export function responseCacheOf({ settings, CACHE_REDIS_URL }: GatewayConfig): CacheAddress | undefined {
  const { responseCache } = settings;
  if (!responseCache) return undefined;
  const { redisUrl } = responseCache;
  if (redisUrl !== undefined) return { url: redisUrl, setting: 'responseCache.redisUrl' };
  return CACHE_REDIS_URL === undefined ? undefined : { url: CACHE_REDIS_URL, setting: 'CACHE_REDIS_URL' };
}

/**
 * What operators can do with the response cache, by connections of its own: the operations port may be that of a process which
 * serves no queries itself.
 *
 * @param current the configuration in force, asked for each request
 */
export function openCacheOperations(
  { CONFIG, OPERATIONS_SECRET }: GatewayConfig,
  current: () => GatewayConfig,
  logger: Logger,
): OperationsRoutes | undefined {
  if (CONFIG === undefined) return undefined; // without a file there is no response cache
  const invalidations = new CurrentInvalidations(current, logger);
  return {
    secrets: OPERATIONS_SECRET,
    add: (server) => addInvalidationRoute(server, { invalidations: () => invalidations.current(), logger }),
    close: () => invalidations.close(),
  };
}

/** Publishes to the Redis that the configuration names now. */
class CurrentInvalidations {
  readonly #logger: Logger;
  readonly #current: () => GatewayConfig;
  #open: { readonly url: string; readonly redis: RedisConnection } | undefined;

  constructor(current: () => GatewayConfig, logger: Logger) {
    this.#current = current;
    this.#logger = logger;
  }

  /** Absent where no responses are stored. */
  current(): Invalidations | undefined {
    const cache = responseCacheOf(this.#current());
    if (this.#open?.url !== cache?.url) {
      this.close();
      this.#open = cache && { url: cache.url, redis: connect(cache.url, 'operations', this.#logger) };
    }
    return this.#open && new Invalidations(this.#open.redis);
  }

  close(): void {
    this.#open?.redis.disconnect();
    this.#open = undefined;
  }
}
