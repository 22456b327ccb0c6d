import {
  createConsumerMetrics,
  createEventStream,
  createHttpEventSource,
  startConsumer,
  startRelay,
  type Background,
} from '@trellis/events';
import { forgetOldAnswers, startPeriodicTask, type BackgroundDependencies } from '@trellis/subgraph-kit';
import type { CommentsConfig } from './config.ts';
import { createKnownPostStore } from './known-post-store.ts';
import { createPostEventsHandler } from './post-events-handler.ts';

const FORGET_PAUSE_MS = 600_000;

/** Starts what runs beside the requests: the relay, the consumer of posts, and the end of kept answers. */
export function startBackground(dependencies: BackgroundDependencies<CommentsConfig>): readonly Background[] {
  const { pool, logger, metrics, connectRedis, relayWakeUp } = dependencies;
  const forgetting = startPeriodicTask({
    name: 'forgetting old answers',
    pauseMs: FORGET_PAUSE_MS,
    work: () => forgetOldAnswers(pool),
    logger,
  });
  if (!connectRedis) return [forgetting];
  const redis = connectRedis();
  const stream = createEventStream({ redis, service: 'comments' });
  const relay = startRelay({ service: 'comments', pool, stream, wakeUp: relayWakeUp, logger, metrics });
  return [forgetting, relay, ...startConsumers(dependencies, connectRedis)];
}

function startConsumers(
  { config, pool, logger, metrics, peers }: BackgroundDependencies<CommentsConfig>,
  connectRedis: NonNullable<BackgroundDependencies<CommentsConfig>['connectRedis']>,
): readonly Background[] {
  const { POSTS_URL: postsUrl } = config;
  if (!peers.client || postsUrl === undefined) return [];
  const posts = startConsumer({
    service: 'comments',
    source: 'posts',
    pool,
    stream: createEventStream({ redis: connectRedis(), service: 'posts' }),
    redis: connectRedis(),
    upstream: createHttpEventSource(peers.client('posts', postsUrl)),
    handler: createPostEventsHandler(createKnownPostStore(pool)),
    logger,
    metrics: createConsumerMetrics(metrics),
  });
  return [posts];
}
