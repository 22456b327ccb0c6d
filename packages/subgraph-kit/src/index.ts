export { readCount, readCursor, type Bounds } from './arguments.ts';
export {
  buildSubgraphServer,
  type SubgraphServer,
  type SubgraphServerOptions,
} from './build-subgraph-server.ts';
export { findConnection, idCursor, readPage, readPageBy, type Connection, type Page } from './connections.ts';
export { createEventFeed, type EventFeed, type EventFeedOptions, type Topic } from './events/event-feed.ts';
export { type EntityChange } from './events/invalidating-stream.ts';
export { type Identified } from './events/topic-subscription.ts';
export { type TopicDefinition, type TopicItem, type TopicRequest } from './events/topic.ts';
export { hasRole, isEditor, requireUserId } from './caller.ts';
export {
  createSubgraphProgram,
  type BackgroundDependencies,
  type SubgraphDefinition,
  type SubgraphDependencies,
  type SubgraphProgram,
} from './create-subgraph-program.ts';
export { eventId } from './event-stream.ts';
export { createId, isTimeOrderedId, parseId, timeOfId } from './ids.ts';
export { addLookupRoute, type LookupRouteOptions } from './lookup-route.ts';
export { migrateSubgraph } from './migrate-subgraph.ts';
export { createMutations, type MutationCall, type Mutations, type MutationsOptions } from './mutations.ts';
export { groupByPosition, orderByKey } from './order-by-key.ts';
export { type Peers } from './peers.ts';
export { startWritingTasks, type WritingTasksOptions } from './start-writing-tasks.ts';
export { startPeriodicTask, type PeriodicTaskOptions } from './periodic-task.ts';
export { dateTimeScalar } from './scalars/date-time.ts';
export { jsonScalar, type JsonValue } from './scalars/json.ts';
export { openStaleReads, readsOfPrimary, type OpenStaleReads, type StaleReads } from './stale-reads.ts';
export {
  brokenSubgraphRules,
  subgraphVariables,
  type SubgraphConfig,
  type SubgraphVariables,
} from './subgraph-variables.ts';
export { readJson, readText, type JsonBounds, type TextBounds } from './text-arguments.ts';
export { UploadedFile, uploadScalar, type UploadOptions } from './uploads.ts';
