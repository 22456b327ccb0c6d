import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool, warnOfLostConnections, type Pool } from './pool.ts';

const END_ALL = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'trellis-idle'`;

describe('A pool whose server ends', () => {
  let database: TestDatabase;
  let administrator: Pool;
  let pool: Pool;
  const errors: Error[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    const { connectionString } = database;
    administrator = createPool({ connectionString, schema: 'public' });
    pool = createPool({ connectionString, schema: 'idle', onIdleError: (error) => errors.push(error) });
  });
  afterAll(async () => {
    await Promise.all([pool.end(), administrator.end()]);
    await database.drop();
  });

  const open = (count: number) =>
    Promise.all(Array.from({ length: count }, () => pool.query('SELECT pg_sleep(0.05)')));
  const loseAll = async () => {
    await administrator.query(END_ALL);
    await expect.poll(() => pool.totalCount).toBe(0);
  };

  it('F-09 notifies once, however many connections it had, and again after the next time', async () => {
    await open(5);
    await loseAll();
    expect(errors).toHaveLength(1);
    await open(3);
    await loseAll();
    expect(errors).toHaveLength(2);
    expect(errors.some((error) => 'client' in error)).toBe(false);
  });

  it('is logged with why, and without more of the error', () => {
    const lines: unknown[] = [];
    const error = Object.assign(new Error('terminating connection'), { client: 'a secret' });
    warnOfLostConnections({ warn: (...line: unknown[]) => void lines.push(line) })(error);
    expect(lines).toEqual([[{ reason: 'terminating connection' }, 'lost the connections to PostgreSQL']]);
  });

  it('does not notify while it is being ended itself', async () => {
    const notified: Error[] = [];
    const ended = createPool({
      connectionString: database.connectionString,
      schema: 'public',
      onIdleError: (error) => notified.push(error),
    });
    const client = await ended.connect();
    client.release();
    const ending = ended.end();
    ended.emit('error', new Error('terminating connection due to administrator command'), client);
    await ending;
    expect(notified).toEqual([]);
  });

  it('F-09 has all its connections when the first was lost before it was known how sessions are shared', async () => {
    const unlucky = createPool({ connectionString: database.connectionString, schema: 'public', max: 1 });
    unlucky.once('connect', (client) => void client.end());
    await expect(unlucky.query('SELECT 1')).rejects.toThrow();
    expect((await unlucky.query('SELECT 1')).rowCount).toBe(1);
    await unlucky.end();
  });

  it('ends a statement that takes longer than it may', async () => {
    const impatient = createPool({
      connectionString: database.connectionString,
      schema: 'public',
      statementTimeoutMs: 50,
    });
    await expect(impatient.query('SELECT pg_sleep(10)')).rejects.toMatchObject({ code: '57014' });
    await impatient.end();
  });
});
