import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  createTestDatabase,
  createTestUserContext,
  freePort,
  startTestRedis,
  type TestDatabase,
  type TestRedis,
} from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { generateSecrets } from '../secrets/generate-secrets.ts';
import { environmentOf, parseDockerfile, type Stage } from './dockerfile.ts';

// There is no container engine in most places where tests run. What an image holds comes about by the RUN lines of the
// Dockerfile, so these are run as they stand, in a folder that stands for the build stage, and what they make is started
// as the last stage would start it.

const stepDeadlineMs = 300_000;
const readyDeadlineMs = 30_000;

let folder: string;
let build: Stage;
let final: Stage;
let database: TestDatabase;
let redis: TestRedis;
let child: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-content-'));
  [build, final] = stagesOf(await readFile(join(repository, 'Dockerfile'), 'utf8'));
  database = await createTestDatabase();
  redis = await startTestRedis();
  await copyContext();
  for (const step of stepsOf(build).filter((text) => !text.includes('${DEPLOYABLE'))) await runStep(step, '');
}, stepDeadlineMs);

afterEach(async () => {
  if (!child || child.exitCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
});

afterAll(async () => {
  await redis.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function stagesOf(text: string): [Stage, Stage] {
  const [first, last, ...more] = parseDockerfile(text);
  if (!first || !last || more.length > 0) throw new Error('The Dockerfile has two stages.');
  return [first, last];
}

function stepsOf({ instructions }: Stage): readonly string[] {
  return instructions.filter(({ keyword }) => keyword === 'RUN').map(({ argument }) => argument);
}

/** What `COPY . .` takes along, less what .dockerignore leaves out wherever it lies. */
async function copyContext(): Promise<void> {
  const ignored = new Set(['node_modules', 'dist', '.git', '.data', '.env', 'coverage']);
  const wanted = (path: string) => !ignored.has(basename(path));
  for (const entry of (await readdir(repository)).filter(wanted))
    await cp(join(repository, entry), join(folder, 'build', entry), { recursive: true, filter: wanted });
}

async function runStep(step: string, deployable: string): Promise<void> {
  const command = step.replaceAll('/image', join(folder, 'image', deployable));
  const env = { ...process.env, DEPLOYABLE: deployable, CI: 'true' };
  await promisify(execFile)('sh', ['-c', command], {
    cwd: join(folder, 'build'),
    env,
    timeout: stepDeadlineMs,
  }).catch((error: Error & { readonly stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`, { cause: error });
  });
}

/** Starts what the last stage's CMD names, in a folder that holds what it copies, and waits until it is ready. */
async function startImage(
  deployable: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const port = String(await freePort());
  let output = '';
  child = spawn(process.execPath, ['dist/main.js'], {
    cwd: join(folder, 'image', deployable),
    env: { ...environmentOf(final), HOST: '127.0.0.1', PORT: port, OPERATIONS_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + readyDeadlineMs;
  while (Date.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (answer?.ok) return url;
    await delay(50);
  }
  throw new Error(`${deployable} did not become ready:\n${output}`);
}

/** Runs the last stage's HEALTHCHECK as Docker would. */
async function checkHealth(url: string): Promise<number | null> {
  const argument = final.instructions.find(({ keyword }) => keyword === 'HEALTHCHECK')?.argument ?? '';
  const [command = '', ...args] = JSON.parse(argument.slice(argument.indexOf('['))) as string[];
  const probe = spawn(command, args, { env: { PATH: process.env['PATH'], PORT: new URL(url).port } });
  const [status] = (await once(probe, 'exit')) as [number | null];
  return status;
}

async function stopByTerm(): Promise<number | null> {
  if (!child) throw new Error('Nothing runs.');
  child.kill('SIGTERM');
  const [status] = (await once(child, 'exit')) as [number | null];
  return status;
}

async function environmentFor(deployable: string): Promise<Readonly<Record<string, string>>> {
  const {
    KEY_ENCRYPTION_SECRET = '',
    COOKIE_SECRET = '',
    USER_CONTEXT_PRIVATE_KEY = '',
  } = await generateSecrets();
  switch (deployable) {
    case 'gateway':
      return { SUPERGRAPH: join(repository, 'supergraph.graphql'), USER_CONTEXT_PRIVATE_KEY };
    case 'auth-server':
      return {
        DATABASE_URL: database.connectionString,
        REDIS_URL: redis.url,
        ISSUER: 'http://localhost:4001',
        KEY_ENCRYPTION_SECRET,
        COOKIE_SECRET,
      };
    default: {
      const { jwks } = await createTestUserContext();
      return { DATABASE_URL: database.connectionString, USER_CONTEXT_JWKS: JSON.stringify(jwks) };
    }
  }
}

describe.each(['gateway', 'auth-server', 'users', 'posts', 'comments'])('The image of %s', (deployable) => {
  it(
    'holds all that it needs to serve, to be found healthy, and to end by SIGTERM',
    { timeout: stepDeadlineMs },
    async () => {
      for (const step of stepsOf(build).filter((text) => text.includes('${DEPLOYABLE')))
        await runStep(step, deployable);
      const url = await startImage(deployable, await environmentFor(deployable));
      expect(await checkHealth(url)).toBe(0);
      expect(await stopByTerm()).toBe(0);
      expect(await checkHealth(url)).toBe(1);
    },
  );
});
