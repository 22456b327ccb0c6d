import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT_CONFIG } from '@trellis/runtime/exit-codes';
import {
  createTemporaryDirectory,
  createTestDatabase,
  freePort,
  startTestRedis,
  type TemporaryDirectory,
} from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startProgram, type RunningProgram } from '../harness/running-program.ts';

const DEADLINE_MS = 90_000;

let directory: TemporaryDirectory;
beforeAll(() => {
  directory = createTemporaryDirectory();
});
afterAll(() => directory.remove());

type Variables = Readonly<Record<string, string>>;

describe('npm run auth-server', () => {
  it('is found by commands of its data directory while it runs, as a platform is, and a second server is not started there', async () => {
    const dataDirectory = join(directory.path, 'found');
    const note = join(dataDirectory, 'platform.json');
    const environment = { ...(await freeAddress()), DATA_DIR: dataDirectory };
    const server = await serve(environment);
    expect(statSync(note).mode & 0o777).toBe(0o600);
    const kids = await kidsAt(environment.PORT);
    const elsewhere = { ...environment, DATABASE_URL: 'postgres://elsewhere.example/trellis' };
    const [listed, second, other] = await Promise.all([
      listedKids(environment),
      command({ ...environment, ...(await freeAddress()) }, []),
      command(elsewhere, ['keys', 'list']),
    ]);
    expect(listed).toEqual(expect.arrayContaining([...kids]));
    expect(second.said).toMatch(
      new RegExp(`^${dataDirectory} is in use by process ${server.pid}\\..* set DATA_DIR to another one`),
    );
    expect(other.said).toMatch(
      /^DATABASE_URL is not what process \d+ uses.*REDIS_URL, KEY_ENCRYPTION_SECRET/,
    );
    expect([second.code, other.code]).toEqual([1, 1]);

    expect((await server.stop()).code).toBe(0);
    expect(existsSync(note)).toBe(false);
    expect(await listedKids(environment), 'of what is started for it').toEqual(
      expect.arrayContaining([...kids]),
    );
    expect(existsSync(note)).toBe(false);
  });

  it('needs no data directory where stores and secrets are given, and neither do its commands', async () => {
    const file = join(import.meta.filename, 'data'); // which can't be a directory
    const environment = { ...(await freeAddress()), ...(await externalStores()), DATA_DIR: file };
    await serve(environment);
    const kids = await kidsAt(environment.PORT);
    expect(await listedKids(environment)).toEqual(expect.arrayContaining([...kids]));
  });
});

async function freeAddress(): Promise<{ readonly PORT: string; readonly OPERATIONS_PORT: string }> {
  return { PORT: String(await freePort()), OPERATIONS_PORT: '0' };
}

async function externalStores(): Promise<Variables> {
  const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  onTestFinished(async () => void (await Promise.all([database.drop(), redis.stop()])));
  return {
    DATABASE_URL: database.connectionString,
    REDIS_URL: redis.url,
    KEY_ENCRYPTION_SECRET: randomBytes(32).toString('base64url'),
    COOKIE_SECRET: randomBytes(32).toString('base64url'),
  };
}

async function serve(environment: Variables): Promise<RunningProgram> {
  const server = startProgram('auth-server', { environment });
  onTestFinished(async () => void (await server.stop()));
  await server.output.waitFor(/"msg":"ready"/, DEADLINE_MS);
  return server;
}

async function kidsAt(port: string): Promise<readonly string[]> {
  const { keys } = (await (await fetch(`http://localhost:${port}/jwks.json`)).json()) as {
    keys: readonly { kid: string }[];
  };
  expect(keys).not.toEqual([]);
  return keys.map(({ kid }) => kid);
}

async function listedKids(environment: Variables): Promise<readonly unknown[]> {
  const { code, said, standard } = await command(environment, ['keys', 'list', '--json']);
  expect([code, code === 0 ? '' : said]).toEqual([0, '']);
  return standard
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { kid: unknown }).kid);
}

interface CommandOutcome {
  readonly code: number | null;
  readonly said: string;
  readonly standard: string;
}

async function command(environment: Variables, args: readonly string[]): Promise<CommandOutcome> {
  const program = startProgram('auth-server', { args, environment });
  const { code } = await program.ended(DEADLINE_MS);
  return { code, said: program.output.all, standard: program.output.standard };
}

describe('npm run auth-server with an environment that can not work', () => {
  it('reports every problem at once and exits with 78, before anything is initialized', async () => {
    const DATA_DIR = join(directory.path, 'new');
    const wrong = {
      PORT: 'foo',
      COOKIE_SECRET: 'short',
      DATABASE_URL: 'mysql://x',
      REDIS_URL: 'http://x',
    };
    for (const environment of [wrong, { PORT: 'foo' }]) {
      const program = startProgram('auth-server', { environment: { ...environment, DATA_DIR } });
      expect((await program.ended(DEADLINE_MS)).code).toBe(EXIT_CONFIG);
      for (const name of Object.keys(environment))
        expect(program.output.all).toMatch(new RegExp(`^ +- ${name}: \\S.*\\.$`, 'm'));
      expect(program.output.all).not.toContain('PostgreSQL (');
    }
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});
