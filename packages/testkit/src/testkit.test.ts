import { Redis } from 'ioredis';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, createTestUserContext, prepareTestTemplate, startTestRedis } from './index.ts';

describe('createTestDatabase', () => {
  it('makes databases that know nothing of one another', async () => {
    const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    await run(one.connectionString, 'CREATE TABLE note (text text)');
    await expect(run(other.connectionString, 'SELECT * FROM note')).rejects.toThrow('does not exist');
    await Promise.all([one.drop(), other.drop()]);
    await expect(run(one.connectionString, 'SELECT 1')).rejects.toThrow('does not exist');
  });

  it('folds the letters of every script, whatever the locale of the machine', async () => {
    const database = await createTestDatabase();
    await expect(run(database.connectionString, "SELECT lower('ÅΣЖ') AS text")).resolves.toEqual([
      { text: 'åσж' },
    ]);
    await database.drop();
  });
});

describe('prepareTestTemplate', () => {
  it('prepares once what every copy has, also when it failed before', async () => {
    let calls = 0;
    const prepare = async (connectionString: string): Promise<void> => {
      calls += 1;
      await run(connectionString, 'CREATE TABLE note (text text)');
      if (calls === 1) throw new Error('not today');
      await run(connectionString, "INSERT INTO note VALUES ('prepared')");
    };
    await expect(prepareTestTemplate('testkit_notes', prepare)).rejects.toThrow('not today');
    await Promise.all([1, 2].map(() => prepareTestTemplate('testkit_notes', prepare)));
    expect(calls).toBe(2);
    const copy = await createTestDatabase('testkit_notes');
    expect(await run(copy.connectionString, 'SELECT text FROM note')).toEqual([{ text: 'prepared' }]);
    await copy.drop();
  });
});

describe('startTestRedis', () => {
  it('keeps its data and its address over a restart', async () => {
    const redis = await startTestRedis();
    onTestFinished(() => redis.stop());
    const client = new Redis(redis.url);
    client.on('error', () => undefined); // the restart cuts the connection
    await client.set('colour', 'green');
    await redis.restart();
    await expect(client.get('colour')).resolves.toBe('green');
    client.disconnect();
  });
});

describe('createTestUserContext', () => {
  it('publishes only the public half of its key', async () => {
    const context = await createTestUserContext();
    expect(context.jwks.keys[0]).not.toHaveProperty('d');
    expect(context.privateKey).toHaveProperty('d');
  });
});

async function run(connectionString: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query(statement);
    return rows;
  } finally {
    await client.end();
  }
}
