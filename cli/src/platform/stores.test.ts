import { join } from 'node:path';
import { createTemporaryDirectory, createTestDatabase, freePort, startTestRedis } from '@trellis/testkit';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgress, createTerminal } from '../terminal/index.ts';
import { describeExternalPostgres, describeExternalRedis, externalStores } from './external-stores.ts';
import { readPlatformConfig } from './platform-config.ts';
import { makeSecrets, type PlatformSecrets } from './secrets.ts';
import { openStores, type Stores } from './stores.ts';

describe('embedded stores', () => {
  const directory = createTemporaryDirectory();
  const printed: string[] = [];
  let secrets: PlatformSecrets;
  let stores: Stores;

  beforeAll(async () => {
    secrets = await makeSecrets();
    stores = await open();
  });
  afterAll(async () => {
    await stores.close();
    directory.remove();
  });

  function open(): Promise<Stores> {
    return openStores({
      config: readPlatformConfig({ DATA_DIR: join(directory.path, 'data') }),
      environment: { PATH: process.env['PATH'] },
      secrets,
      progress: createProgress(createTerminal({ write: (text) => printed.push(text) }, {})),
    });
  }

  it('describe what they are, and what they are busy with', () => {
    expect(stores.descriptions[0]).toMatch(/^PostgreSQL {2}18\.\d+, embedded, data in .*\/data\/postgres$/);
    expect(stores.descriptions[1]).toMatch(/^Redis {7}.*data in .*\/data\/redis$/);
    expect(printed.map((line) => line.replace(/\d+\.\d/, 'N'))).toEqual([
      '✔ Initializing PostgreSQL (N s)\n',
      '✔ Starting PostgreSQL (N s)\n',
    ]);
  });

  it('give each service a role whose rights end at its schema', async () => {
    await query(stores.databaseUrls.USERS, 'CREATE TABLE users.user AS SELECT 1 AS id');
    const posts = stores.databaseUrls.POSTS;
    await expect(query(posts, 'SELECT * FROM users.user')).rejects.toThrow(
      'permission denied for schema users',
    );
    await expect(query(posts, 'CREATE TABLE users.mine (id int)')).rejects.toThrow('permission denied');
    await expect(query(posts, 'CREATE TABLE public.mine (id int)')).rejects.toThrow('permission denied');
    await expect(query(posts, 'CREATE SCHEMA mine')).rejects.toThrow('permission denied');
    await expect(query(posts, "COPY (SELECT 1) TO '/tmp/x'")).rejects.toThrow('permission denied');
    await expect(query(posts, 'CREATE TABLE posts.mine AS SELECT 2 AS id')).resolves.toEqual([]);
  });

  it('find data and roles at the next start, and follow other secrets', async () => {
    await stores.close();
    secrets = await makeSecrets();
    const before = stores.databaseUrls.USERS;
    stores = await open();
    await expect(query(stores.databaseUrls.USERS, 'SELECT id FROM users.user')).resolves.toEqual([{ id: 1 }]);
    expect(new URL(stores.databaseUrls.USERS ?? '').password).not.toBe(new URL(before ?? '').password);
  });
});

describe('external stores', () => {
  it('are found by the variables of all and of each service', () => {
    const environment = { DATABASE_URL: 'postgres://all', POSTS_DATABASE_URL: 'postgres://posts' };
    expect(externalStores('DATABASE_URL', environment)).toEqual([
      { variable: 'DATABASE_URL', url: 'postgres://all' },
      { variable: 'POSTS_DATABASE_URL', url: 'postgres://posts' },
    ]);
    expect(externalStores('REDIS_URL', {})).toEqual([]);
  });

  it('report their versions', async () => {
    const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    const postgres = { variable: 'DATABASE_URL', url: database.connectionString };
    await expect(describeExternalPostgres(postgres)).resolves.toMatch(/^1[5-9]\.\d+, given by DATABASE_URL$/);
    await expect(describeExternalRedis({ variable: 'REDIS_URL', url: redis.url })).resolves.toMatch(
      /^\d+\.\d+\.\d+, given by REDIS_URL$/,
    );
    await Promise.all([database.drop(), redis.stop()]);
  });

  it('that do not answer are reported by their variable and reason, without their password', async () => {
    const port = await freePort();
    const postgres = { variable: 'DATABASE_URL', url: `postgres://a:s3cret@127.0.0.1:${port}/b` };
    await expect(describeExternalPostgres(postgres)).rejects.toThrow(
      `The store that DATABASE_URL names does not answer: connect ECONNREFUSED 127.0.0.1:${port}.`,
    );
    const redis = { variable: 'REDIS_URL', url: `redis://:s3cret@127.0.0.1:${port}` };
    await expect(describeExternalRedis(redis)).rejects.toThrow(
      `The store that REDIS_URL names does not answer: connect ECONNREFUSED 127.0.0.1:${port}.`,
    );
  });

  it('are all named where several do not answer, each with what to do, before one is started', async () => {
    const port = await freePort();
    const environment = {
      DATABASE_URL: `postgres://127.0.0.1:${port}/b`,
      REDIS_URL: `redis://127.0.0.1:${port}`,
    };
    const opening = openStores({
      config: readPlatformConfig({ ...environment, DATA_DIR: '/nonexistent' }),
      environment,
      secrets: await makeSecrets(),
      progress: createProgress(createTerminal({ write: () => expect.unreachable() }, {})),
    });
    const sentence = (name: string): string =>
      `The store that ${name} names does not answer: connect ECONNREFUSED 127.0.0.1:${port}. Start it, or correct ${name}.`;
    await expect(opening).rejects.toThrow(`${sentence('DATABASE_URL')}\n${sentence('REDIS_URL')}`);
  });

  it('are not started: with all of them given, nothing is embedded', async () => {
    const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    const environment = { DATABASE_URL: database.connectionString, REDIS_URL: redis.url };
    const stores = await openStores({
      config: readPlatformConfig({ ...environment, DATA_DIR: '/nonexistent' }),
      environment,
      secrets: await makeSecrets(),
      progress: createProgress(createTerminal({ write: () => expect.unreachable() }, {})),
    });
    expect(stores).toMatchObject({
      databaseUrls: {},
      descriptions: [expect.any(String), expect.any(String)],
    });
    expect(stores.redisUrl).toBeUndefined();
    await stores.close();
    await Promise.all([database.drop(), redis.stop()]);
  });
});

async function query(connectionString: string | undefined, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows }: { readonly rows: unknown[] } = await client.query(statement);
    return rows;
  } finally {
    await client.end();
  }
}
