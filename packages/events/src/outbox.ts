import { defineStatements, execute, type Transaction } from '@trellis/postgres';
import { v7 } from 'uuid';
import type { DomainEvent } from './domain-event.ts';
import { statements } from './generated/statements.ts';

/** What happened; the outbox gives it its id. */
export type NewEvent = Omit<DomainEvent, 'id'>;

const sql = defineStatements(statements, 'outbox', {
  append: 'INSERT INTO outbox (id, type, subject, payload) VALUES ($1, $2, $3, $4)',
});

/**
 * Writes an event in the transaction of the change that it publishes: both happen or neither does. Events of one subject keep
 * their order when each change locks its subject before it appends.
 */
export async function appendEvent(transaction: Transaction, event: NewEvent): Promise<void> {
  const { type, subject, payload } = event;
  await execute(transaction, sql.append, [v7(), type, subject, JSON.stringify(payload)]);
}
