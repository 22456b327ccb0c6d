import {
  createConsumerMetrics,
  createEventStream,
  createHttpEventSource,
  startConsumer,
  type Background,
  type EventHandler,
} from '@trellis/events';
import type { BackgroundDependencies } from '@trellis/subgraph-kit';
import { ownerVariables, sources, type SearchConfig, type Source } from './config.ts';
import { commentIndexer } from './indexing/comment-documents.ts';
import { postIndexer } from './indexing/post-documents.ts';
import { userIndexer } from './indexing/user-documents.ts';

const indexers: Readonly<Record<Source, EventHandler>> = {
  users: userIndexer,
  posts: postIndexer,
  comments: commentIndexer,
};

/** Starts what runs beside the requests: a consumer for each service that can be listened to. */
export function startBackground(dependencies: BackgroundDependencies<SearchConfig>): readonly Background[] {
  const { config, pool, logger, peers, connectRedis } = dependencies;
  const metrics = createConsumerMetrics(dependencies.metrics);
  return sources.flatMap((source) => {
    const url = config[ownerVariables[source]];
    if (!connectRedis || !peers.client || url === undefined) return [];
    return startConsumer({
      service: 'search',
      source,
      pool,
      stream: createEventStream({ redis: connectRedis(), service: source }),
      redis: connectRedis(),
      upstream: createHttpEventSource(peers.client(source, url)),
      handler: indexers[source],
      logger,
      metrics,
    });
  });
}
