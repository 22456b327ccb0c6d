export { type DomainEvent, type SequencedEvent } from './domain-event.ts';
export { appendEvent, type NewEvent } from './outbox.ts';
