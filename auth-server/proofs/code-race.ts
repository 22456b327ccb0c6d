import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createTemporaryDirectory,
  createTestDatabase,
  freePort,
  startTestRedis,
  type Proof,
  type ProofOutcome,
} from '@trellis/testkit';
import { Browser } from '../src/testing/browser.ts';
import { createPkce, exchange, obtainCode, refresh, tokensOf, type JsonAnswer } from '../src/testing/flow.ts';
import { CALLBACK } from '../src/testing/test-clients.ts';

const PARALLEL = 20;
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Each code, and each refresh token, is used by 20 requests at once, half of them at either of two processes. */
export const proof: Proof = {
  name: 'code-race',
  description:
    'Of 20 parallel exchanges of a code, and of 20 parallel refreshes, over two processes on one Redis, exactly one succeeds (A-123, A-130).',
  run: ({ size }) => withTwoServers((first, second) => race(size === 'full' ? 100 : 3, first, second)),
};

async function withTwoServers(
  work: (first: string, second: string) => Promise<ProofOutcome>,
): Promise<ProofOutcome> {
  const [database, redis, ports] = await Promise.all([
    createTestDatabase(),
    startTestRedis(),
    Promise.all([freePort(), freePort()]),
  ]);
  const directory = createTemporaryDirectory();
  const servers: ChildProcess[] = [];
  try {
    const environment = {
      ISSUER: `http://127.0.0.1:${ports[0]}`,
      DATABASE_URL: database.connectionString,
      REDIS_URL: redis.url,
      CLIENTS_FILE: writeClients(directory.path),
      DEMO_DATA: 'true',
      OPERATIONS_PORT: '0',
      LOG_LEVEL: 'error',
    };
    for (const port of ports) {
      servers.push(startServer({ ...environment, PORT: String(port) }));
      await untilReady(`http://127.0.0.1:${port}`);
    }
    return await work(environment.ISSUER, `http://127.0.0.1:${ports[1]}`);
  } finally {
    await Promise.all(servers.map(end));
    await redis.stop();
    await database.drop();
    directory.remove();
  }
}

function writeClients(directory: string): string {
  const file = join(directory, 'clients.json');
  const client = {
    client_id: 'spa',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
  };
  writeFileSync(file, JSON.stringify([client]));
  return file;
}

function startServer(environment: Record<string, string>): ChildProcess {
  const args = ['--conditions=trellis-source', '--import', 'tsx', MAIN];
  const inherited = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  return spawn(process.execPath, args, {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const ready = await fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} did not become ready.`);
}

async function race(rounds: number, first: string, second: string): Promise<ProofOutcome> {
  const browser = new Browser();
  let codesExchangedOnce = 0;
  let refreshTokensUsedOnce = 0;
  for (let round = 0; round < rounds; round += 1) {
    const pkce = createPkce();
    const code = await obtainCode(first, pkce, { scope: 'openid read:data' }, browser);
    const exchanges = await inParallel((index) => exchange(index % 2 === 0 ? first : second, code, pkce));
    codesExchangedOnce += isOnce(exchanges) ? 1 : 0;
    const fresh = createPkce();
    const freshCode = await obtainCode(first, fresh, { scope: 'openid read:data' }, browser);
    const { refreshToken } = tokensOf(await exchange(second, freshCode, fresh));
    const refreshes = await inParallel((index) => refresh(index % 2 === 0 ? first : second, refreshToken));
    refreshTokensUsedOnce += isOnce(refreshes) ? 1 : 0;
  }
  return {
    figures: { rounds, parallel: PARALLEL, codesExchangedOnce, refreshTokensUsedOnce },
    passed: codesExchangedOnce === rounds && refreshTokensUsedOnce === rounds,
  };
}

function inParallel(send: (index: number) => Promise<JsonAnswer>): Promise<JsonAnswer[]> {
  return Promise.all(Array.from({ length: PARALLEL }, (_, index) => send(index)));
}

function isOnce(answers: readonly JsonAnswer[]): boolean {
  const successes = answers.filter(({ status }) => status === 200);
  const refusals = answers.filter(({ status, body }) => status === 400 && body['error'] === 'invalid_grant');
  return successes.length === 1 && refusals.length === PARALLEL - 1;
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await ended;
}
