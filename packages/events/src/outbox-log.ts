import type { Pool, Transaction } from '@trellis/postgres';
import type { SequencedEvent } from './domain-event.ts';

/** The numbered events of a service, oldest first. */
export interface OutboxLog {
  /**
   * Gives committed events their numbers, in the order in which they were written. An event that is committed later gets a
   * greater number, so that no one who reads in the order of the numbers can miss one.
   *
   * @returns how many there were
   */
  number(limit: number): Promise<number>;
  /** The greatest number given; 0 before the first. */
  head(): Promise<number>;
  readAfter(seq: number, limit: number): Promise<readonly SequencedEvent[]>;
  /** The smallest number that is still stored; undefined when none is. */
  oldest(): Promise<number | undefined>;
}

// Positions are taken before the commit, so a greater one may become visible first. Events of one subject can't: the change
// holds a lock on its subject when it writes them.
const NUMBER = `
  WITH batch AS (
    SELECT position, row_number() OVER (ORDER BY position) AS rank
    FROM (SELECT position FROM outbox WHERE seq IS NULL ORDER BY position LIMIT $1) AS waiting
  ), head AS (
    UPDATE outbox_head SET seq = seq + (SELECT count(*) FROM batch)
    WHERE EXISTS (SELECT FROM batch)
    RETURNING seq - (SELECT count(*) FROM batch) AS base
  )
  UPDATE outbox SET seq = head.base + batch.rank
  FROM batch CROSS JOIN head
  WHERE outbox.position = batch.position AND outbox.seq IS NULL`;

/** The events after a number. The order is that of the column, which has an index: `seq` alone would be the number that is returned. */
export const READ_AFTER = `
  SELECT seq::float8 AS seq, id, type, subject, payload, occurred_at AS "occurredAt"
  FROM outbox WHERE outbox.seq > $1 ORDER BY outbox.seq LIMIT $2`;

/** Reads and numbers the outbox of a service. */
export function createOutboxLog(database: Pool | Transaction): OutboxLog {
  const readNumber = async (sql: string): Promise<number | undefined> =>
    (await database.query<{ seq: number | null }>(sql)).rows[0]?.seq ?? undefined;
  return {
    number: async (limit) => (await database.query(NUMBER, [limit])).rowCount ?? 0,
    head: async () => (await readNumber('SELECT seq::float8 AS seq FROM outbox_head')) ?? 0,
    readAfter: async (seq, limit) => (await database.query<SequencedEvent>(READ_AFTER, [seq, limit])).rows,
    oldest: () => readNumber('SELECT min(seq)::float8 AS seq FROM outbox'),
  };
}
