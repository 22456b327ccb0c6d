import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Environment } from '@trellis/runtime';
import { lockDirectory } from '@trellis/dev-stores';
import {
  createTemporaryDirectory,
  createTestDatabase,
  startTestRedis,
  type TemporaryDirectory,
} from '@trellis/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProgress, createTerminal } from '../terminal/index.ts';
import { openServerStores } from './auth-server-stores.ts';
import { writePlatformFile } from './platform-file.ts';

const silent = createProgress(createTerminal({ write: () => expect.unreachable() }, {}));

let directory: TemporaryDirectory;
beforeAll(() => {
  directory = createTemporaryDirectory();
});
afterAll(() => directory.remove());

const brought = ['DATABASE_URL', 'REDIS_URL', 'KEY_ENCRYPTION_SECRET', 'COOKIE_SECRET'];

it.each<Environment>([
  { NODE_ENV: 'production' },
  { HOST: '0.0.0.0' },
  { AUTH_HOST: '::', NODE_ENV: 'development' },
  { ISSUER: 'https://auth.example.com' },
  { AUTH_ISSUER: 'https://auth.example.com', NODE_ENV: 'test' },
])('H3: the auth-server alone gets neither stores nor secrets where others reach it: %j', async (given) => {
  const DATA_DIR = join(directory.path, 'data');
  const problems = await problemsOf({ ...given, DATA_DIR });
  for (const name of brought) expect(problems).toContain(`${name} is required.`);
  expect(existsSync(DATA_DIR)).toBe(false);
});

it('is checked whole before anything is opened, whatever is still to be brought', async () => {
  const DATA_DIR = join(directory.path, 'new');
  const COOKIE_SECRET_FILE = join(directory.path, 'no-such-file');
  const environment = { DATABASE_URL: 'mysql://x', REDIS_URL: 'http://x', PORT: 'foo', MAX_CONNECTIONS: '-' };
  const problems = await problemsOf({ ...environment, DATA_DIR, COOKIE_SECRET_FILE });
  const names = ['COOKIE_SECRET_FILE', 'DATABASE_URL', 'MAX_CONNECTIONS', 'PORT', 'REDIS_URL'];
  expect(problems.map((problem) => problem.split(':', 1)[0]).toSorted()).toEqual(names);
  expect(existsSync(DATA_DIR)).toBe(false);
  const inFile = await problemsOf({ PORT: 'foo', DATA_DIR: join(import.meta.filename, 'data') });
  expect(inFile).toEqual([
    expect.stringMatching(/^DATA_DIR: must be a directory/),
    expect.stringMatching(/^PORT: /),
  ]);
});

it('takes nothing from a platform that runs on its data directory, and says what to do', async () => {
  const DATA_DIR = join(directory.path, 'running');
  const lock = lockDirectory(DATA_DIR);
  const stores = {
    DATABASE_URL: 'postgres://127.0.0.1:1/trellis',
    KEY_ENCRYPTION_SECRET: randomBytes(32).toString('base64url'),
  };
  writePlatformFile(DATA_DIR, {
    issuer: 'http://localhost:4001',
    services: {},
    authServerEnvironment: { ...stores, ISSUER: 'http://localhost:4001' },
  });
  const opening = openServerStores({ DATA_DIR, PORT: '4101', DATABASE_URL: 'postgres://own' }, silent);
  await expect(opening).rejects.toThrow(
    `${DATA_DIR} is in use by process ${process.pid}. Another Trellis runs on this data directory, and no auth-server serves with its stores and secrets: set DATA_DIR to another one, or give REDIS_URL, KEY_ENCRYPTION_SECRET, COOKIE_SECRET too.`,
  );
  const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const own = {
    PORT: '4101',
    DATABASE_URL: database.connectionString,
    REDIS_URL: redis.url,
    KEY_ENCRYPTION_SECRET: randomBytes(32).toString('base64url'),
    COOKIE_SECRET: randomBytes(32).toString('base64url'),
    DATA_DIR,
  };
  const { environment } = await openServerStores(own, silent);
  expect(environment).toEqual({ ...own, DEMO_DATA: 'true' });
  lock.release();
  await Promise.all([database.drop(), redis.stop()]);
});

async function problemsOf(environment: Environment): Promise<readonly string[]> {
  const error: unknown = await openServerStores(environment, silent).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems;
}
