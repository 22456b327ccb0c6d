import { ConfigError, createLogger, createMetrics, type Deployable } from '@trellis/runtime';
import { createDemoContent } from '@trellis/demo-data';
import { connectRedis } from '@trellis/redis';
import { createId } from '@trellis/subgraph-kit';
import {
  createTestDatabase,
  createTestUserContext,
  startTestRedis,
  type TestDatabase,
  type TestUserContext,
} from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserContext } from '@trellis/subgraph-protocol';
import { createProfileStore } from './profile-store.ts';
import { users } from './program.ts';

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    users.readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('the configuration of a subgraph', () => {
  const good = { DATABASE_URL: 'postgres://localhost/test', USER_CONTEXT_JWKS: '{"keys":[]}' };

  it('needs a database and the gateway’s keys, and the rest has defaults', () => {
    expect(users.readConfig(good)).toMatchObject({ PORT: 4011, HOST: '127.0.0.1' });
  });

  it('prefers the variables of the service', () => {
    expect(users.readConfig({ ...good, PORT: '1', USERS_PORT: '2', POSTS_PORT: '3' }).PORT).toBe(2);
  });

  it('reports every problem at once', () => {
    expect(problemsOf({ PORT: 'x', DATABASE_URL: 'mysql://db', USER_CONTEXT_JWKS: '[]' })).toEqual([
      'PORT: must be a whole number from 0 to 65535.',
      'DATABASE_URL: must be an absolute URL with the scheme postgres or postgresql.',
      'USER_CONTEXT_JWKS: must be a JSON Web Key Set.',
    ]);
  });

  it.each([
    [{ USER_CONTEXT_JWKS: '' }, 'USER_CONTEXT_JWKS or USER_CONTEXT_JWKS_URL is required.'],
    [
      { USER_CONTEXT_JWKS_URL: 'http://gateway/keys' },
      'USER_CONTEXT_JWKS and USER_CONTEXT_JWKS_URL exclude each other.',
    ],
    [
      { USER_CONTEXT_DEVELOPER_JWKS: '{"keys":[]}', NODE_ENV: 'production' },
      'USER_CONTEXT_DEVELOPER_JWKS is rejected in production.',
    ],
    [
      { USER_CONTEXT_DEVELOPER_JWKS: '{"keys":[]}', HOST: '0.0.0.0' },
      'USER_CONTEXT_DEVELOPER_JWKS is rejected in production.',
    ],
    [{ NODE_ENV: 'staging' }, 'NODE_ENV: must be one of development, test, production.'],
    [
      { RESPONSE_CACHE_REDIS_URL: 'redis://localhost' },
      'RESPONSE_CACHE_REDIS_URL needs REDIS_URL: the relay publishes changes.',
    ],
    [
      { DATABASE_REPLICA_URL: 'postgres://replica/trellis' },
      'DATABASE_REPLICA_URL needs REDIS_URL: by it processes know who has just changed something.',
    ],
  ])('rejects the contradiction %j', (change, problem) =>
    expect(problemsOf({ ...good, ...change })).toEqual([problem]),
  );
});

describe('the program of a subgraph', () => {
  let database: TestDatabase;
  let keys: TestUserContext;
  beforeAll(async () => {
    [database, keys] = await Promise.all([createTestDatabase(), createTestUserContext()]);
  });
  afterAll(() => database.drop());

  const start = (environment: Readonly<Record<string, string>> = {}): Promise<Deployable> => {
    const config = users.readConfig({
      DATABASE_URL: database.connectionString,
      USER_CONTEXT_JWKS: JSON.stringify(keys.jwks),
      PORT: '0',
      ...environment,
    });
    const resources = {
      logger: createLogger({ service: 'users', level: 'silent' }),
      metrics: createMetrics('users'),
    };
    return users.start(config, resources);
  };

  async function ask(
    { url }: Deployable,
    query: string,
    as: UserContext = { scopes: ['read:data'] },
  ): Promise<unknown> {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'trellis-user-context': await keys.sign('users', as),
      },
      body: JSON.stringify({ query }),
    });
    return response.json();
  }

  it('migrates and serves what was prepared before; a second start finds the same data', async () => {
    const config = users.readConfig({
      DATABASE_URL: database.connectionString,
      USER_CONTEXT_JWKS: JSON.stringify(keys.jwks),
    });
    const { users: profiles } = createDemoContent();
    const logger = createLogger({ service: 'users', level: 'silent' });
    await users.prepare(config, { logger }, (pool) => createProfileStore(pool).seed(profiles));
    const last = profiles.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime()).at(-1);
    for (const deployable of [await start(), await start()]) {
      expect((await fetch(`${deployable.url}/health/ready`)).status).toBe(200);
      expect(await ask(deployable, '{ users(limit: 1, offset: 219) { id } }')).toEqual({
        data: { users: [{ id: last?.id }] },
      });
      await deployable.close();
    }
  });

  it('shows its schema in production to who has SCHEMA_SECRET', async () => {
    const secret = 'fcU0pVx4mX7Q0cJ1Yq9W3w';
    const deployable = await start({ NODE_ENV: 'production', SCHEMA_SECRET: secret });
    const statusFor = async (sent: string): Promise<number> => {
      const response = await fetch(`${deployable.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'trellis-introspection-secret': sent },
        body: JSON.stringify({ query: '{ _service { sdl } }' }),
      });
      return response.status;
    };
    expect([await statusFor(secret), await statusFor('fcU0pVx4mX7Q0cJ1Yq9W3x')]).toEqual([200, 401]);
    await deployable.close();
  });

  it('ends in order, also when it is signalled twice', async () => {
    const deployable = await start();
    await Promise.all([deployable.close(), deployable.close()]);
    await deployable.close();
    await expect(fetch(`${deployable.url}/health/live`)).rejects.toThrow('fetch failed');
  });

  it('notifies gateways that cache responses whose profile is new', async () => {
    const redis = await startTestRedis();
    const connection = connectRedis({ url: redis.url, name: 'test', onError: () => {} });
    const deployable = await start({ REDIS_URL: redis.url, RESPONSE_CACHE_REDIS_URL: redis.url });
    const id = createId();
    await ask(deployable, '{ me { id } }', {
      user: { id, roles: ['VIEWER'], tokenIssuedAt: 1, name: 'Zoë' },
      scopes: ['read:data', 'read:profile'],
    });
    await expect
      .poll(() => connection.xrange('response-cache:invalidations', '-', '+'))
      .toEqual([[expect.any(String), ['type', 'User', 'id', id]]]);
    await deployable.close();
    connection.disconnect();
    await redis.stop();
  });

  it('does not start on a port that is taken', async () => {
    const first = await start();
    const config = users.readConfig({
      DATABASE_URL: database.connectionString,
      USER_CONTEXT_JWKS: JSON.stringify(keys.jwks),
      PORT: new URL(first.url).port,
    });
    const resources = {
      logger: createLogger({ service: 'users', level: 'silent' }),
      metrics: createMetrics('users'),
    };
    await expect(users.start(config, resources)).rejects.toThrow('EADDRINUSE');
    await first.close();
  });
});
