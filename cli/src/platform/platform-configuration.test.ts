import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, type Environment } from '@trellis/runtime';
import { createTemporaryDirectory } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { publishesSubgraphs } from './own-release.ts';
import { readPlatformConfig } from './platform-config.ts';
import { readConfiguration } from './platform-configuration.ts';

const supergraph = fileURLToPath(new URL('../../../graph/supergraph.graphql', import.meta.url));

describe('readConfiguration', () => {
  it('accepts an empty environment', async () => {
    await expect(readConfiguration({}, supergraph)).resolves.toMatchObject({
      config: { GATEWAY_PORT: 4000 },
    });
  });

  it('reports all problems of the platform and of every deployable at once, each one time', async () => {
    const problems = await problemsOf({
      AUTH_PORT: '99999',
      LOG_LEVEL: 'loud',
      ACCESS_TOKEN_TTL_S: '1',
      WORKERS: 'many',
      DATABASE_URL: 'mysql://localhost/trellis',
    });
    for (const name of ['AUTH_PORT', 'LOG_LEVEL', 'ACCESS_TOKEN_TTL_S', 'WORKERS', 'DATABASE_URL']) {
      expect(problems.filter((problem) => problem.includes(`${name}:`))).toHaveLength(1);
    }
  });

  it('takes secrets from files, and reports those that cannot be used with all other problems', async () => {
    const folder = createTemporaryDirectory();
    const file = join(folder.path, 'database-url');
    writeFileSync(file, 'postgres://given.example/trellis\n');
    const { environment } = await readConfiguration({ DATABASE_URL_FILE: file }, supergraph);
    expect(environment).toMatchObject({ DATABASE_URL: 'postgres://given.example/trellis' });
    folder.remove();
    const wrong = { DATABASE_URL_FILE: file, AUTH_PORT: 'x' };
    await expect(problemsOf(wrong)).resolves.toEqual([
      `DATABASE_URL_FILE: ${file} does not exist.`,
      expect.stringMatching(/^AUTH_PORT: /),
    ]);
  });

  it('reports contradictions between ports', async () => {
    await expect(problemsOf({ POSTS_PORT: '4000' })).resolves.toEqual([
      'GATEWAY_PORT and POSTS_PORT are both 4000; each needs a port of its own.',
    ]);
  });

  it('reports a DATA_DIR that cannot hold data', async () => {
    await expect(problemsOf({ DATA_DIR: `${supergraph}/data`, POSTS_PORT: 'x' })).resolves.toEqual([
      `DATA_DIR: must be a directory, and ${supergraph} is none.`,
      expect.stringMatching(/^POSTS_PORT: /),
    ]);
  });

  it('rejects undefined words of NODE_ENV', async () => {
    await expect(problemsOf({ NODE_ENV: 'staging' })).resolves.toEqual([
      'NODE_ENV: must be one of development, test, production.',
    ]);
  });

  const conveniences = [
    'REDIS_URL',
    'KEY_ENCRYPTION_SECRET',
    'COOKIE_SECRET',
    'USER_CONTEXT_PRIVATE_KEY',
    'USERS_SERVICE_PRIVATE_KEY',
    'SERVICE_JWKS',
  ];

  it.each<Environment>([
    { NODE_ENV: 'production' },
    { HOST: '0.0.0.0' },
    { HOST: '::', NODE_ENV: 'development' },
    { GATEWAY_HOST: '192.0.2.1' },
    { USERS_HOST: '0.0.0.0', NODE_ENV: 'test' },
    { ISSUER: 'https://auth.example.com', TRUSTED_PROXIES: '127.0.0.1' },
    { AUTH_ISSUER: 'https://auth.example.com', TRUSTED_PROXIES: '127.0.0.1', NODE_ENV: 'development' },
  ])('H3: brings neither stores nor secrets where others reach it: %j', async (environment) => {
    const problems = await problemsOf(environment);
    for (const name of conveniences) {
      expect(problems.some((problem) => new RegExp(`\\b${name} is required`).test(problem))).toBe(true);
    }
    await expect(problemsOf({ ...environment, DEMO_DATA: 'true' })).resolves.toContainEqual(
      expect.stringContaining('DEMO_DATA'),
    );
  });

  it('publishes nothing where others reach it, unless asked to with a key', async () => {
    const environment = { NODE_ENV: 'production', PUBLISH_SUBGRAPHS: 'true' };
    const named = (problems: readonly string[]): boolean =>
      problems.some((problem) => problem.startsWith('TRELLIS_SIGNING_KEY is required in production'));
    expect(named(await problemsOf(environment))).toBe(true);
    expect(named(await problemsOf({ ...environment, TRELLIS_SIGNING_KEY: '{}' }))).toBe(false);
    expect(named(await problemsOf({ NODE_ENV: 'production' }))).toBe(false);
    const publishes = (given: Environment): boolean => publishesSubgraphs(readPlatformConfig(given), given);
    expect(publishes({})).toBe(true);
    expect(publishes({ PUBLISH_SUBGRAPHS: 'false' })).toBe(false);
    expect(publishes({ NODE_ENV: 'production' })).toBe(false);
    expect(publishes({ HOST: '0.0.0.0' })).toBe(false);
    expect(publishes(environment)).toBe(true);
  });

  it.each<Environment>([
    {},
    { NODE_ENV: 'test' },
    { HOST: '::1', ISSUER: 'http://127.0.0.1:4001' },
    { HOST: 'localhost', NODE_ENV: 'development', ISSUER: 'http://localhost:4001' },
  ])('brings them where only this machine reaches it: %j', async (environment) => {
    await expect(readConfiguration(environment, supergraph)).resolves.toBeDefined();
  });
});

async function problemsOf(environment: Environment): Promise<readonly string[]> {
  const error: unknown = await readConfiguration(environment, supergraph).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems;
}
