export { applyBatches, type BatchHandler } from './apply-batches.ts';
export { type DomainEvent, type SequencedEvent } from './domain-event.ts';
export {
  createConsumerMetrics,
  startConsumer,
  type ConsumerMetrics,
  type ConsumerOptions,
  type EventHandler,
} from './consumer.ts';
export { eventMigrations } from './event-migrations.ts';
export { addEventRoutes, type EventRoutesOptions } from './event-routes.ts';
export {
  createHttpEventSource,
  type EventPage,
  type EventSource,
  type SnapshotItem,
  type SnapshotPage,
} from './event-source.ts';
export {
  createEventStream,
  type EventStream,
  type EventStreamOptions,
  type StreamedEvent,
} from './event-stream.ts';
export { startLeadership, type Background, type LeadershipOptions } from './leadership.ts';
export { isTransientFailure } from './is-transient-failure.ts';
export { createOutboxLog, type OutboxLog } from './outbox-log.ts';
export { appendEvent, type NewEvent } from './outbox.ts';
export { startRelay, type RelayOptions } from './relay.ts';
export { createRelayWakeUp, type RelayWakeUp, type RelayWakeUpOptions } from './relay-wake-up.ts';
export { sleep } from './wake-up.ts';
