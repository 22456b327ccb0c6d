import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool, type Pool } from './pool.ts';
import { defineStatements, execute, onlyRow, queryRows, ROWS_RETURNED } from './statements.ts';

const table = {
  notes: {
    add: { parameters: ['text', 'timestamptz'], row: {} },
    list: { parameters: ['text[]'], row: { text: 'text', at: 'timestamptz?' } },
    count: { parameters: [], row: { count: 'int4' } },
  },
} as const;

const sql = defineStatements(table, 'notes', {
  add: 'INSERT INTO note (text, at) VALUES ($1, $2)',
  list: { preparedAs: 'list-notes', text: 'SELECT text, at FROM note WHERE text = ANY($1) ORDER BY text' },
  count: { notNull: ['count'], text: 'SELECT count(*)::int AS count FROM note' },
});

describe('Statements', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool({ connectionString: database.connectionString, schema: 'public', max: 1 });
    await pool.query('CREATE TABLE note (text text NOT NULL, at timestamptz)');
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('run with typed parameters, and return typed rows', async () => {
    const at = new Date(5);
    expect(await execute(pool, sql.add, ['a', at])).toBe(1);
    expect(await execute(pool, sql.add, ['b', undefined])).toBe(1);
    expect(await queryRows(pool, sql.list, [['a', 'b', null]])).toEqual([
      { text: 'a', at },
      { text: 'b', at: null },
    ]);
    expect(onlyRow(await queryRows(pool, sql.count, [])).count).toBe(2);
    // @ts-expect-error a parameter of another type
    await expect(queryRows(pool, sql.list, [5])).rejects.toThrow('malformed array literal');
  });

  it('are prepared once for a connection where they say so', async () => {
    await queryRows(pool, sql.list, [[]]);
    await queryRows(pool, sql.list, [['a']]);
    const { rows } = await pool.query(
      'SELECT name, calls FROM (SELECT name, generic_plans + custom_plans AS calls FROM pg_prepared_statements) AS s',
    );
    expect(rows).toEqual([{ name: 'list-notes', calls: expect.any(String) as string }]);
  });

  it('show their rows to those who listen', async () => {
    const seen: unknown[] = [];
    const listen = (message: unknown): void => void seen.push(message);
    subscribe(ROWS_RETURNED, listen);
    await queryRows(pool, sql.count, []);
    unsubscribe(ROWS_RETURNED, listen);
    await queryRows(pool, sql.count, []);
    expect(seen).toEqual([{ statement: sql.count, rows: [{ count: expect.any(Number) as number }] }]);
  });
});

it.each([[[]], [[1, 2]]])('%j is not one row', (rows) => {
  expect(() => onlyRow(rows)).toThrow(`A statement returned ${rows.length} rows, not one.`);
});
