import { defineStatements, execute, queryRows, type Pool, type Transaction } from '@trellis/postgres';
import type { SequencedEvent } from './domain-event.ts';
import { statements } from './generated/statements.ts';

const sql = defineStatements(statements, 'consumer-cursor', {
  read: { notNull: ['seq'], text: 'SELECT seq::float8 AS seq FROM event_cursor WHERE source = $1' },
  lock: {
    notNull: ['seq'],
    text: 'SELECT seq::float8 AS seq FROM event_cursor WHERE source = $1 FOR UPDATE',
  },
  move: `INSERT INTO event_cursor (source, seq) VALUES ($1, $2)
    ON CONFLICT (source) DO UPDATE SET seq = excluded.seq`,
  moveToDeadLetters: `INSERT INTO dead_letter (source, seq, event, error) VALUES ($1, $2, $3, $4)
    ON CONFLICT (source, seq) DO NOTHING`,
});

/** How far a consumer has come with one source. Stored in its own database, in the transaction of what the events have done. */
export interface ConsumerCursor {
  /** Undefined before the first time. */
  read(database: Pool | Transaction): Promise<number | undefined>;
  /** @returns how far it has come, and lets no one else move it until the transaction ends; undefined when it was deleted */
  lock(transaction: Transaction): Promise<number | undefined>;
  move(transaction: Transaction, seq: number): Promise<void>;
  /** Stores an event that can not be applied as a dead letter. */
  moveToDeadLetters(transaction: Transaction, event: SequencedEvent, error: unknown): Promise<void>;
}

/** The cursor for one source, in the tables `event_cursor` and `dead_letter`. */
export function createConsumerCursor(source: string): ConsumerCursor {
  return {
    read: async (database) => (await queryRows(database, sql.read, [source]))[0]?.seq,
    lock: async (transaction) => (await queryRows(transaction, sql.lock, [source]))[0]?.seq,
    move: async (transaction, seq) => {
      await execute(transaction, sql.move, [source, seq]);
    },
    moveToDeadLetters: async (transaction, event, error) => {
      await execute(transaction, sql.moveToDeadLetters, [
        source,
        event.seq,
        JSON.stringify(event),
        String(error),
      ]);
    },
  };
}
