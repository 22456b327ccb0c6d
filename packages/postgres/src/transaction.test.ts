import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPool, type Pool } from './pool.ts';
import { queryChecked } from './statements.ts';
import { inTransaction } from './transaction.ts';

describe('inTransaction', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool({ connectionString: database.connectionString, schema: 'public', max: 2 });
    await pool.query('CREATE TABLE note (text text)');
  });
  beforeEach(() => pool.query('TRUNCATE note'));
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  const notes = async () => (await pool.query('SELECT text FROM note')).rows;

  it('commits what was done', async () => {
    const result = await inTransaction(pool, async (transaction) => {
      await transaction.query("INSERT INTO note VALUES ('committed')");
      return 'done';
    });
    expect([result, await notes()]).toEqual(['done', [{ text: 'committed' }]]);
  });

  it('undoes all of it when something fails', async () => {
    const failing = inTransaction(pool, async (transaction) => {
      await transaction.query("INSERT INTO note VALUES ('lost')");
      throw new Error('on second thoughts');
    });
    await expect(failing).rejects.toThrow('on second thoughts');
    expect(await notes()).toEqual([]);
  });

  it('F-09 survives a server that disconnects between two statements', async () => {
    const failing = inTransaction(pool, async (transaction) => {
      const [found] = await queryChecked(transaction, { pid: 'int4' }, 'SELECT pg_backend_pid() AS pid');
      await pool.query('SELECT pg_terminate_backend($1)', [found?.pid]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await transaction.query("INSERT INTO note VALUES ('lost')");
    });
    await expect(failing).rejects.toThrow(/terminat|not queryable/);
    expect(await notes()).toEqual([]);
  });
});
