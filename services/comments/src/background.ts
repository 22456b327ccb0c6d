import {
  createConsumerMetrics,
  createEventStream,
  createHttpEventSource,
  startConsumer,
  type Background,
} from '@trellis/events';
import { startWritingTasks, type BackgroundDependencies } from '@trellis/subgraph-kit';
import { changesOf } from './comment-changes.ts';
import type { CommentsConfig } from './config.ts';
import { createKnownPostStore } from './known-post-store.ts';
import { createPostEventsHandler } from './post-events-handler.ts';

/** Starts what runs beside the requests: the relay, the consumer of posts, and the purge of idempotency records. */
export function startBackground(dependencies: BackgroundDependencies<CommentsConfig>): readonly Background[] {
  const writing = startWritingTasks(dependencies, 'comments', { changesOf });
  const { connectRedis } = dependencies;
  return connectRedis ? [...writing, ...startConsumers(dependencies, connectRedis)] : writing;
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
