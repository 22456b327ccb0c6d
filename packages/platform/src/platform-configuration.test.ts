import { fileURLToPath } from 'node:url';
import { ConfigError, type Environment } from '@trellis/config';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from './platform-configuration.ts';

const supergraph = fileURLToPath(new URL('../../../supergraph.graphql', import.meta.url));

describe('readConfiguration', () => {
  it('accepts an empty environment', async () => {
    await expect(readConfiguration({}, supergraph)).resolves.toMatchObject({ GATEWAY_PORT: 4000 });
  });

  it('tells all problems of the platform and of every deployable at once, each one time', async () => {
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

  it('tells contradictions between ports', async () => {
    await expect(problemsOf({ POSTS_PORT: '4000' })).resolves.toEqual([
      'GATEWAY_PORT and POSTS_PORT are both 4000; each needs a port of its own.',
    ]);
  });

  it('tells a DATA_DIR that cannot hold data', async () => {
    await expect(problemsOf({ DATA_DIR: `${supergraph}/data`, POSTS_PORT: 'x' })).resolves.toEqual([
      `DATA_DIR: must be a directory, and ${supergraph} is none.`,
      expect.stringMatching(/^POSTS_PORT: /),
    ]);
  });

  it('refuses in production what is made for development', async () => {
    const problems = await problemsOf({ NODE_ENV: 'production' });
    for (const name of ['REDIS_URL', 'ISSUER', 'KEY_ENCRYPTION_SECRET', 'COOKIE_SECRET']) {
      expect(problems.some((problem) => new RegExp(`\\b${name}\\b.*required`).test(problem))).toBe(true);
    }
  });
});

async function problemsOf(environment: Environment): Promise<readonly string[]> {
  const error: unknown = await readConfiguration(environment, supergraph).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems;
}
