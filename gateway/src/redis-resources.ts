import type { Logger, OperationsRoutes, Resources } from '@trellis/deployable';
import { createActivityStream } from '@trellis/presence';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startRevocationFeed, type RevocationFeed } from './auth/revocation-feed.ts';
import { createUsedProofs, type UsedProofs } from './auth/used-proofs.ts';
import { PROOF_WINDOW_S } from './auth/verify-proof.ts';
import {
  createMemoryPersistedQueryStore,
  createSharedPersistedQueryStore,
  type PersistedQueryStore,
} from './caching/persisted-query-store.ts';
import type { GatewayConfig } from './config.ts';
import {
  NO_ACTIVITY,
  startActivityPublisher,
  type ActivityPublisher,
} from './presence/activity-publisher.ts';
import { addInvalidationRoute } from './response-cache/invalidation-route.ts';
import { Invalidations } from './response-cache/invalidations.ts';
import { ResponseCache } from './response-cache/response-cache.ts';
import { createResponseCacheMetrics } from './telemetry/response-cache-metrics.ts';

/** What gateways share through Redis, and what they do in its place without one. */
export interface RedisResources {
  /** For commands; absent where no Redis is configured. */
  readonly redis: RedisConnection | undefined;
  readonly revocations: RevocationFeed | undefined;
  /** Tells the users subgraph who is there. */
  readonly activity: ActivityPublisher;
  readonly persistedQueries: PersistedQueryStore;
  readonly usedProofs: UsedProofs;
  /** Absent where no answers are kept. */
  readonly responseCache: ResponseCache | undefined;
}

interface OpenResponseCache {
  readonly cache: ResponseCache;
  readonly redis: RedisConnection;
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
  const url = config.REDIS_URL;
  const redis = url === undefined ? undefined : connect(url, 'commands', logger);
  const activity = publishActivity(config, redis, logger);
  const revocations = await followRevocations(url, redis, logger);
  const kept = openResponseCache(config, logger, metrics);
  return {
    redis,
    revocations,
    activity,
    persistedQueries: openPersistedQueries(redis, logger),
    usedProofs: createUsedProofs({ redis, lifetimeS: 2 * PROOF_WINDOW_S }),
    responseCache: kept?.cache,
    async close() {
      await revocations?.close();
      await activity.close();
      redis?.disconnect();
      kept?.redis.disconnect();
    },
  };
}

function connect(url: string, purpose: string, logger: Logger, commandTimeoutMs?: number): RedisConnection {
  return connectRedis({
    url,
    name: `trellis-gateway-${purpose}`,
    ...(commandTimeoutMs !== undefined && { commandTimeoutMs }),
    onError: (error) =>
      logger.warn({ reason: error.message }, "Redis can't be reached; the gateway goes on without it"),
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
    onError: (error) => logger.warn({ reason: error.message }, 'could not tell which users are there'),
  });
}

async function followRevocations(
  url: string | undefined,
  redis: RedisConnection | undefined,
  logger: Logger,
): Promise<RevocationFeed | undefined> {
  if (url === undefined || redis === undefined) return undefined;
  return startRevocationFeed({
    redis,
    subscriber: connect(url, 'revocations', logger),
    onError: (error) => logger.warn({ err: error }, 'the feed of revoked grants is interrupted'),
  });
}

function openPersistedQueries(redis: RedisConnection | undefined, logger: Logger): PersistedQueryStore {
  if (!redis) return createMemoryPersistedQueryStore();
  return createSharedPersistedQueryStore({
    redis,
    onError: (error) => logger.warn({ err: error }, 'persisted queries are not shared at present'),
  });
}

/** Where answers are kept; undefined where none are. */
function responseCacheUrl({ settings, REDIS_URL }: GatewayConfig): string | undefined {
  return settings.responseCache && (settings.responseCache.redisUrl ?? REDIS_URL);
}

/**
 * What operators can do with the response cache, by a connection of its own: the operations port may be that of a process which
 * serves no queries itself.
 */
export function openCacheOperations(config: GatewayConfig, logger: Logger): OperationsRoutes | undefined {
  const url = responseCacheUrl(config);
  if (url === undefined) return undefined;
  const redis = connect(url, 'operations', logger);
  return {
    add: (server) => addInvalidationRoute(server, { invalidations: new Invalidations(redis), logger }),
    close: () => redis.disconnect(),
  };
}

/** Milliseconds for a question to the cache: executing a query takes no longer than some hundreds. */
const CACHE_TIMEOUT_MS = 500;

/** On a connection of its own, whose commands are given up sooner than those that queries can't do without. */
function openResponseCache(
  config: GatewayConfig,
  logger: Logger,
  metrics: Resources['metrics'],
): OpenResponseCache | undefined {
  const url = responseCacheUrl(config);
  if (url === undefined) return undefined;
  const redis = connect(url, 'response-cache', logger, CACHE_TIMEOUT_MS);
  return { redis, cache: new ResponseCache({ redis, observer: createResponseCacheMetrics(metrics) }) };
}
