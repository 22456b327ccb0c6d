import type { Pool } from '@trellis/postgres';

/** A consumer of events that has all that its source would send. */
export interface CaughtUpConsumer {
  /** The consumer's own database. */
  readonly consumer: Pool;
  /** The database of the service that it listens to. */
  readonly source: Pool;
  /** The name of that service. */
  readonly name: string;
}

const MOVE = `
  INSERT INTO event_cursor (source, seq) VALUES ($1, $2) ON CONFLICT (source) DO UPDATE SET seq = excluded.seq`;

/** Moves a consumer to the newest event of its source, so that it takes no snapshot of what has been loaded into its tables. */
export async function skipToNow({ consumer, source, name }: CaughtUpConsumer): Promise<void> {
  const { rows } = await source.query<{ seq: string }>('SELECT seq FROM outbox_head');
  await consumer.query(MOVE, [name, rows[0]?.seq ?? '0']);
}
