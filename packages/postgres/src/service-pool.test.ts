import {
  createTestDatabase,
  hasPgBouncer,
  startTestPgBouncer,
  type TestDatabase,
  type TestPgBouncer,
} from '@trellis/testkit';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPool, type Pool } from './pool.ts';
import { queryChecked } from './statements.ts';
import { inTransaction } from './transaction.ts';

const WAYS = [
  { way: 'directly', settings: undefined },
  { way: 'through PgBouncer in transaction mode', settings: [] },
  {
    way: 'through a PgBouncer that drops what a session is to start with',
    settings: ['ignore_startup_parameters = extra_float_digits,options'],
  },
] as const;

describe.each(WAYS)('A pool that reaches its server $way', ({ settings }) => {
  let database: TestDatabase;
  let pooler: TestPgBouncer | undefined;
  let connectionString: string;
  let pool: Pool;
  const skip = settings !== undefined && !hasPgBouncer;
  beforeAll(async () => {
    if (skip) return;
    database = await createTestDatabase();
    if (settings)
      pooler = await startTestPgBouncer({ connectionString: database.connectionString, settings });
    connectionString = pooler?.connectionString ?? database.connectionString;
    pool = createPool({ connectionString, schema: 'notes', statementTimeoutMs: 500 });
    await pool.query('CREATE SCHEMA notes');
    await pool.query('CREATE TABLE note (text text PRIMARY KEY)');
  });
  beforeEach(async (context) => {
    if (skip) context.skip('This machine has no pgbouncer.');
    await pool.query('TRUNCATE note');
  });
  afterAll(async () => {
    await pool?.end();
    await pooler?.stop();
    await database?.drop();
  });
  const notes = async () =>
    (await queryChecked(pool, { text: 'text' }, 'SELECT text FROM note ORDER BY 1')).map(({ text }) => text);

  it('finds its tables in each statement, however many run at once', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'));
    await Promise.all(texts.map((text) => pool.query('INSERT INTO note VALUES ($1)', [text])));
    expect(await notes()).toEqual(texts);
  });

  it('returns what the statement returned, and its failure', async () => {
    expect((await pool.query('INSERT INTO note VALUES ($1)', ['one'])).rowCount).toBe(1);
    await expect(pool.query('INSERT INTO note VALUES ($1)', ['one'])).rejects.toMatchObject({
      code: '23505',
    });
    await expect(pool.query('SELEKT')).rejects.toMatchObject({ code: '42601' });
    expect((await pool.query({ text: 'SELECT $1::int AS number', values: [7] })).rows).toEqual([
      { number: 7 },
    ]);
  });

  it('runs named statements in whatever session it gets', async () => {
    const insert = (text: string) => ({
      name: 'insert-note',
      text: 'INSERT INTO note VALUES ($1)',
      values: [text],
    });
    await Promise.all(Array.from({ length: 30 }, (_, index) => pool.query(insert(`n${index}`))));
    await inTransaction(pool, (transaction) => transaction.query(insert('n30')));
    expect(await notes()).toHaveLength(31);
  });

  it('commits transactions and undoes them', async () => {
    await inTransaction(pool, (transaction) => transaction.query("INSERT INTO note VALUES ('committed')"));
    const failing = inTransaction(pool, async (transaction) => {
      await transaction.query("INSERT INTO note VALUES ('lost')");
      throw new Error('on second thoughts');
    });
    await expect(failing).rejects.toThrow('on second thoughts');
    expect(await notes()).toEqual(['committed']);
  });

  it('has its settings in single statements and in transactions', async () => {
    const read =
      "SELECT current_setting('jit') AS jit, current_setting('work_mem') AS memory, current_setting('search_path') AS path";
    const expected = [{ jit: 'off', memory: '16MB', path: 'notes' }];
    expect((await pool.query(read)).rows).toEqual(expected);
    expect((await inTransaction(pool, (transaction) => transaction.query(read))).rows).toEqual(expected);
    await expect(pool.query('SELECT pg_sleep(10)')).rejects.toMatchObject({ code: '57014' });
  });

  it('leaves no setting to the next client of a shared session', async () => {
    if (!settings) return expect(pool.sharesSessions).toBe(false);
    expect(pool.sharesSessions).toBe(true);
    await Promise.all(Array.from({ length: 10 }, () => pool.query('SELECT pg_sleep(0.01)')));
    const other = new pg.Client({ connectionString });
    await other.connect();
    expect((await other.query('SHOW search_path')).rows).toEqual([{ search_path: '"$user", public' }]);
    await other.end();
  });

  it('F-09 goes on when the pooler was restarted', async () => {
    await pooler?.restart();
    await expect.poll(() => notes().catch(() => 'unavailable')).toEqual([]);
  });
});
