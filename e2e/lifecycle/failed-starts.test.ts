import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createTemporaryDirectory, createTestDatabase, freePort, startTestRedis } from '@trellis/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProgram, type ProgramName, type RunningProgram } from '../harness/running-program.ts';

const DEADLINE_MS = 60_000;
/** A log record, or what a stack has. */
const FOR_PROGRAMMERS = /^\{|\n +at |node_modules|"stack"/;

type Variables = Readonly<Record<string, string>>;

const secrets = (): Variables => ({
  KEY_ENCRYPTION_SECRET: randomBytes(32).toString('base64url'),
  COOKIE_SECRET: randomBytes(32).toString('base64url'),
});

const production = {
  NODE_ENV: 'production',
  ISSUER: 'http://localhost:4001',
  PORT: '0',
  OPERATIONS_PORT: '0',
};

describe('an auth-server in production that can not start says in words', () => {
  it('which store does not answer, by its variable, as its commands do', async () => {
    const port = await freePort();
    const stores = {
      DATABASE_URL: `postgres://trellis:s3cr3t@127.0.0.1:${port}/trellis`,
      REDIS_URL: `redis://127.0.0.1:${port}`,
    };
    for (const args of [[], ['keys', 'list']]) {
      const said = await failedWords('auth-server', { ...production, ...secrets(), ...stores }, args);
      for (const name of ['DATABASE_URL', 'REDIS_URL'])
        expect(said).toContain(`${sentence(name, port)} Start it, or correct ${name}.`);
      expect(said).not.toContain('s3cr3t');
    }
  });

  it('that its keys were encrypted under another secret, and what to do', async () => {
    const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    onTestFinished(async () => void (await Promise.all([database.drop(), redis.stop()])));
    const stores = { DATABASE_URL: database.connectionString, REDIS_URL: redis.url };
    const first = startProgram('auth-server', {
      args: ['keys', 'list'],
      environment: { ...production, ...secrets(), ...stores },
    });
    expect((await first.ended(DEADLINE_MS)).code).toBe(0);
    const said = await failedWords('auth-server', { ...production, ...secrets(), ...stores });
    expect(said).toMatch(
      /^A signing key .* another KEY_ENCRYPTION_SECRET\. Add that secret behind the new one.*auth-operations/s,
    );
  });
});

describe('npm start', () => {
  it('names both stores that do not answer, and what to do', async () => {
    const port = await freePort();
    const directory = createTemporaryDirectory();
    onTestFinished(() => directory.remove());
    const said = await failedWords('start', {
      DATA_DIR: join(directory.path, 'data'),
      DATABASE_URL: `postgres://127.0.0.1:${port}/trellis`,
      REDIS_URL: `redis://127.0.0.1:${port}`,
      ...Object.fromEntries(
        ['GATEWAY', 'AUTH', 'USERS', 'POSTS', 'COMMENTS', 'SEARCH', 'WEB', 'DOCS', 'OPERATIONS'].map(
          (name) => [`${name}_PORT`, '0'],
        ),
      ),
    });
    for (const name of ['DATABASE_URL', 'REDIS_URL'])
      expect(said).toContain(`${sentence(name, port)} Start it, or correct ${name}.`);
  });
});

describe('npm run gateway', () => {
  it('logs the reason why a subgraph can not be composed yet, without a stack', async () => {
    const url = `http://127.0.0.1:${await freePort()}/graphql`;
    const program = startProgram('gateway', {
      args: ['--subgraph', `reviews=${url}`, '--port', '0'],
      environment: { OPERATIONS_PORT: '0' },
    });
    onTestFinished(async () => void (await program.stop()));
    const [line] = await program.output.waitFor(/^.*supergraph unavailable; retrying.*$/m, DEADLINE_MS);
    expect(JSON.parse(line)).toMatchObject({ reason: expect.stringContaining(url) as string });
    expect(line).not.toMatch(/stack|node_modules/);
  });
});

function sentence(variable: string, port: number): string {
  return `The store that ${variable} names does not answer: connect ECONNREFUSED 127.0.0.1:${port}.`;
}

/** What a program says that ends with status 1: nothing but words. */
async function failedWords(
  name: ProgramName,
  environment: Variables,
  args: readonly string[] = [],
): Promise<string> {
  const program: RunningProgram = startProgram(name, { args, environment });
  const { code } = await program.ended(DEADLINE_MS);
  const { all } = program.output;
  expect([code, all.match(FOR_PROGRAMMERS), all]).toEqual([1, null, all]);
  return all;
}
