import { StartupError } from '@trellis/runtime';
import {
  createTestDatabase,
  freePort,
  startTestRedis,
  type TestDatabase,
  type TestRedis,
} from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainStartFailure } from './explain-start-failure.ts';

describe('a start that fails', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let up: { readonly DATABASE_URL: string; readonly REDIS_URL: string };
  let down: typeof up;

  beforeAll(async () => {
    [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    const port = await freePort();
    up = { DATABASE_URL: database.connectionString, REDIS_URL: redis.url };
    down = {
      DATABASE_URL: `postgres://a:s3cret@127.0.0.1:${port}/b`,
      REDIS_URL: `redis://:s3cret@127.0.0.1:${port}`,
    };
  });
  afterAll(() => Promise.all([database.drop(), redis.stop()]));

  const failure = new Error('connect ECONNREFUSED');
  const unansweredRedis = Object.assign(new Error('Reached the max retries'), {
    name: 'MaxRetriesPerRequestError',
  });
  const doesNotAnswer = (name: string): RegExp =>
    new RegExp(
      `^The store that ${name} names does not answer: connect ECONNREFUSED 127\\.0\\.0\\.1:\\d+\\. Start it, or correct ${name}\\.$`,
      'm',
    );

  it('names each store that does not answer by its variable, without its password', async () => {
    const { message } = await explained(failure, down);
    expect(message).toMatch(doesNotAnswer('DATABASE_URL'));
    expect(message).toMatch(doesNotAnswer('REDIS_URL'));
    expect(message).not.toContain('s3cret');
    const alone = await explained(failure, { ...up, DATABASE_URL: down.DATABASE_URL });
    expect(alone.message.split('\n')).toEqual([expect.stringMatching(doesNotAnswer('DATABASE_URL'))]);
  });

  it('names the database that there is not', async () => {
    const absent = new URL(up.DATABASE_URL);
    absent.pathname = '/no_such_database';
    const { message } = await explained(failure, { ...up, DATABASE_URL: absent.href });
    expect(message).toMatch(
      /^The store that DATABASE_URL names does not answer: database "no_such_database"/,
    );
  });

  it('names Redis where its client has failed, as the server starts without it', async () => {
    const unreachable = { ...up, REDIS_URL: down.REDIS_URL };
    expect((await explained(unansweredRedis, unreachable)).message).toMatch(doesNotAnswer('REDIS_URL'));
    await expect(explainStartFailure(failure, unreachable)).resolves.toBe(failure);
  });

  it('stays what it is where the stores answer, or where it is in words already', async () => {
    await expect(explainStartFailure(unansweredRedis, up)).resolves.toBe(unansweredRedis);
    const words = new StartupError('in words');
    await expect(explainStartFailure(words, down)).resolves.toBe(words);
  });

  async function explained(error: Error, config: typeof up): Promise<StartupError> {
    const explanation = await explainStartFailure(error, config);
    expect(explanation).toBeInstanceOf(StartupError);
    return explanation as StartupError;
  }
});
