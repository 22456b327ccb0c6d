import { readFileSync } from 'node:fs';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findFieldUsers } from './find-field-users.ts';
import type { SearchOutcome } from './recorded-use.ts';

/** The tables that `trellis operations init` makes. */
const TABLES = new URL('../../../../cli/usage-migrations/0001_create_usage.sql', import.meta.url);
const HOUR_MS = 3_600_000;
const DAYS_MS = 10 * 24 * HOUR_MS;

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  await client.query('CREATE SCHEMA recorded_usage; SET search_path TO recorded_usage');
  await client.query(readFileSync(TABLES, 'utf8'));
});
afterAll(async () => {
  await client.end();
  await database.drop();
});
beforeEach(async () => {
  await client.query('TRUNCATE process, interval, document, operation');
});

/** Records an interval of an hour with documents `{ name }`, one request each. */
async function record(hoursAgo: number, operations: number, clients: unknown = [CLIENT]): Promise<void> {
  const from = new Date(Date.now() - hoursAgo * HOUR_MS);
  const values = [PROCESS, from];
  await client.query(
    `INSERT INTO interval (process, began_at, ended_at, is_complete) VALUES ($1, $2::timestamptz, $2::timestamptz + interval '1 hour', true)`,
    values,
  );
  await client.query(
    `INSERT INTO document (id, text, seen_at)
     SELECT lpad(n::text, 64, '0'), 'query Q' || n || ' { name }', now() FROM generate_series(1, $1::int) AS n ON CONFLICT DO NOTHING`,
    [operations],
  );
  await client.query(
    `INSERT INTO operation (process, began_at, document_id, counts)
     SELECT $1::uuid, $2::timestamptz, lpad(n::text, 64, '0'), $4::jsonb FROM generate_series(1, $3::int) AS n`,
    [...values, operations, JSON.stringify({ clients })],
  );
}

const CLIENT = { name: 'web', requests: 1 };
const PROCESS = '00000000-0000-4000-8000-000000000001';

function search(budgetMs = 60_000): Promise<SearchOutcome> {
  const sinceMs = Date.now() - DAYS_MS;
  const { connectionString } = database;
  const sdl = print(gql`
    type Query {
      name: String
    }
  `);
  return findFieldUsers({ type: 'Query', field: 'name', sdl, sinceMs, budgetMs, database: connectionString });
}

describe('Who has used a field, as tables have it', () => {
  it('reads texts in batches', async () => {
    await record(2, 250);
    expect(await search()).toMatchObject({
      kind: 'found',
      use: { complete: true, requests: 250, requestsWithField: 250, further: 150 },
    });
  });

  it('ends within an interval: what is found by then stays, and it is incomplete', async () => {
    await record(2, 250);
    expect(await search(0)).toMatchObject({ kind: 'found', use: { complete: false, requestsWithField: 1 } });
  });

  it('keeps what was found where older intervals cannot be read', async () => {
    for (let hours = 2; hours < 12; hours += 1) await record(hours, 1);
    await record(20, 1, 'damaged');
    const outcome = await search();
    expect(outcome).toMatchObject({ kind: 'found', use: { complete: false, requestsWithField: 10 } });
    expect(outcome).toHaveProperty('interruption');
  });

  it('is unreadable where not even the newest interval can be read', async () => {
    await record(2, 1, 'damaged');
    expect(await search()).toMatchObject({ kind: 'unreadable' });
  });

  it.each([
    ['before the time that is asked for', '11 days', true],
    ['within it', '9 days', false],
  ])(
    'where a process was killed %s, the result says whether it is complete',
    async (_when, ago, complete) => {
      await record(2, 1);
      await client.query(
        'INSERT INTO process (id, interval_ms, renewed_at) VALUES (gen_random_uuid(), 1000, now() - $1::interval)',
        [ago],
      );
      expect(await search()).toMatchObject({ kind: 'found', use: { complete } });
    },
  );
});
