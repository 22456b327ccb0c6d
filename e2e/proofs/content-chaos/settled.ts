import type { Pool } from '@trellis/postgres';
import type { ContentService } from '../../harness/content-services.ts';
import type { Databases } from './with-services.ts';

const SOURCES = ['users', 'posts', 'comments'] as const;

/** Who listens to whom. */
const LINKS: readonly (readonly [consumer: ContentService, source: (typeof SOURCES)[number]])[] = [
  ['comments', 'posts'],
  ['search', 'users'],
  ['search', 'posts'],
  ['search', 'comments'],
];

/** Whether everything that was published has its number and has been applied. */
export async function isSettled(databases: Databases): Promise<boolean> {
  const heads = new Map<string, number | undefined>();
  for (const source of SOURCES) heads.set(source, await lastNumber(databases[source], source));
  for (const [consumer, source] of LINKS) {
    const head = heads.get(source);
    if (head === undefined || (await cursor(databases[consumer], consumer, source)) !== head) return false;
  }
  return true;
}

/** Undefined while something waits for its number. */
async function lastNumber(pool: Pool, source: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ seq: number }>(`
    SELECT seq::float8 AS seq FROM ${source}.outbox_head
    WHERE NOT EXISTS (SELECT FROM ${source}.outbox WHERE seq IS NULL)`);
  return rows[0]?.seq;
}

/** Undefined before the first snapshot. */
async function cursor(pool: Pool, consumer: string, source: string): Promise<number | undefined> {
  const sql = `SELECT seq::float8 AS seq FROM ${consumer}.event_cursor WHERE source = $1`;
  return (await pool.query<{ seq: number }>(sql, [source])).rows[0]?.seq;
}
