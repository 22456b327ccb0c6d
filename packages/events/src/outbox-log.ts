import { defineStatements, execute, queryRows, type Queryable } from '@trellis/postgres';
import type { SequencedEvent } from './domain-event.ts';
import { statements } from './generated/statements.ts';

/** The sequenced events of a service, oldest first. */
export interface OutboxLog {
  /**
   * Gives committed events their sequence numbers, in the order in which they were written. An event that is committed later gets a
   * greater number, so that no one who reads in the order of the numbers can miss one.
   *
   * @returns how many there were
   */
  sequence(limit: number): Promise<number>;
  /** The greatest number given; 0 before the first. */
  head(): Promise<number>;
  readAfter(seq: number, limit: number): Promise<readonly SequencedEvent[]>;
  /** The smallest number that is still stored; undefined when none is. */
  oldest(): Promise<number | undefined>;
}

const sql = defineStatements(statements, 'outbox-log', {
  // Positions are taken before the commit, so a greater one may become visible first. Events of one subject can't: the change
  // holds a lock on its subject when it writes them.
  sequence: `
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
  WHERE outbox.position = batch.position AND outbox.seq IS NULL`,

  // The order is that of the column, which has an index: `seq` alone would be the number that is returned.
  readAfter: {
    notNull: ['seq'],
    text: `
  SELECT seq::float8 AS seq, id, type, subject, payload, occurred_at AS "occurredAt"
  FROM outbox WHERE outbox.seq > $1 ORDER BY outbox.seq LIMIT $2`,
  },

  readHead: { notNull: ['seq'], text: 'SELECT seq::float8 AS seq FROM outbox_head' },

  findOldest: 'SELECT min(seq)::float8 AS seq FROM outbox',
});

/** The events after a number, for those who look at its plan. */
export const READ_AFTER: string = sql.readAfter.text;

/** Reads and sequences the outbox of a service. */
export function createOutboxLog(database: Queryable): OutboxLog {
  return {
    sequence: (limit) => execute(database, sql.sequence, [limit]),
    head: async () => (await queryRows(database, sql.readHead, []))[0]?.seq ?? 0,
    readAfter: (seq, limit) => queryRows(database, sql.readAfter, [seq, limit]),
    oldest: async () => (await queryRows(database, sql.findOldest, []))[0]?.seq ?? undefined,
  };
}
