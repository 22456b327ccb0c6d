import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory, createTestDatabase, freePort, startTestRedis } from '@trellis/testkit';
import { CALLBACK } from '../../src/testing/test-clients.ts';

/** An auth-server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}

/** Where processes are started that share their stores and their issuer. */
export interface ServerGround {
  readonly redisUrl: string;
  readonly databaseUrl: string;
  readonly issuer: string;
  /** Starts a server and waits until it is ready. The first one must be at the issuer's port. */
  start(port?: number): Promise<ServerProcess>;
}

/** Settings of {@link withServers}. */
export interface ServerOptions {
  /** Variables of the servers' environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** `compiled` takes longer once, and starts each server three times as fast. @default 'source' */
  readonly program?: 'source' | 'compiled';
  /** As a clients file has them. @default a public client `spa` */
  readonly clients?: readonly Readonly<Record<string, unknown>>[];
}

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));
const SPA = {
  client_id: 'spa',
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: 'none',
  first_party: true,
};
const READY_WITHIN_MS = 120_000;

/** Runs work with a database, a Redis and a public client `spa`, and ends every process that it started. */
export async function withServers<Result>(
  work: (ground: ServerGround) => Promise<Result>,
  { environment: overrides = {}, program = 'source', clients = [SPA] }: ServerOptions = {},
): Promise<Result> {
  if (program === 'compiled') compile();
  const [database, redis, issuerPort] = await Promise.all([
    createTestDatabase(),
    startTestRedis(),
    freePort(),
  ]);
  const directory = createTemporaryDirectory();
  const children: ChildProcess[] = [];
  const ports = new Set<number>();
  const issuer = `http://127.0.0.1:${issuerPort}`;
  const environment = {
    ISSUER: issuer,
    DATABASE_URL: database.connectionString,
    REDIS_URL: redis.url,
    CLIENTS_FILE: writeClients(directory.path, clients),
    KEY_ENCRYPTION_SECRET: randomBytes(32).toString('base64url'),
    COOKIE_SECRET: randomBytes(32).toString('base64url'),
    DEMO_DATA: 'true',
    OPERATIONS_PORT: '0',
    REQUESTS_PER_ADDRESS: '1000000', // all load comes from one address
    LOG_LEVEL: 'error',
    ...overrides,
  };
  const start = async (port?: number): Promise<ServerProcess> => {
    const chosen = port ?? (await freePort());
    if (ports.has(chosen)) return start(); // given to another one that has not taken it yet
    ports.add(chosen);
    const child = spawnServer(program, { ...environment, PORT: String(chosen) });
    children.push(child);
    const url = `http://127.0.0.1:${chosen}`;
    if (await isReady(url, issuer, child)) return { url, kill: () => end(child, 'SIGKILL') };
    if (port !== undefined) throw new Error(`${url} did not become ready.`);
    return start(); // another process has taken the port meanwhile
  };
  try {
    return await work({ redisUrl: redis.url, databaseUrl: database.connectionString, issuer, start });
  } finally {
    await Promise.all(children.map((child) => end(child, 'SIGTERM')));
    await redis.stop();
    await database.drop();
    directory.remove();
  }
}

/** The port of an issuer. */
export function portOf(issuer: string): number {
  return Number(new URL(issuer).port);
}

function writeClients(directory: string, clients: NonNullable<ServerOptions['clients']>): string {
  const file = join(directory, 'clients.json');
  writeFileSync(file, JSON.stringify(clients));
  return file;
}

/** @throws Error with what the compiler says */
function compile(): void {
  const { status, stdout } = spawnSync('npx', ['tsc', '-b'], { cwd: PACKAGE, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The auth-server does not compile.\n${stdout}`);
}

function spawnServer(
  program: 'source' | 'compiled',
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const source = ['--conditions=trellis-source', '--import', 'tsx', 'src/main.ts'];
  const inherited = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  return spawn(process.execPath, program === 'compiled' ? ['dist/main.js'] : source, {
    cwd: PACKAGE,
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** @returns false when the process has ended; what answers at the address then is another one */
async function isReady(url: string, issuer: string, child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    if ((await issuerAt(url)) === issuer) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (child.exitCode === null) throw new Error(`${url} did not become ready.`);
  return false;
}

async function issuerAt(url: string): Promise<unknown> {
  try {
    const metadata = await fetch(`${url}/.well-known/openid-configuration`);
    return ((await metadata.json()) as { readonly issuer?: unknown }).issuer;
  } catch {
    return undefined; // not ready yet, or something else
  }
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
