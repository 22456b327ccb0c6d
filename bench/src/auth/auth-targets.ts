import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { freePort } from '@trellis/dev-stores';
import { processorTimeMs, residentBytes } from '../processor-time.ts';
import type { Algorithm, SeedKind } from './seed.ts';
import { seedThroughPages } from './seed-through-pages.ts';

/** An authorization server that runs. */
export interface AuthTarget {
  readonly name: string;
  readonly pid: number;
  readonly tokenUrl: string;
  /** Codes that can be exchanged, or refresh tokens that can be used, once each. */
  seed(kind: SeedKind, algorithm: Algorithm, count: number): Promise<readonly string[]>;
  processorTimeMs(): number;
  residentBytes(): number;
  stop(): Promise<void>;
}

/** The stores that the servers share. */
export interface AuthStores {
  readonly postgresUrl: string;
  readonly redisUrl: string;
  /** A file of RFC 7591 metadata with a client for each algorithm. */
  readonly clientsFile: string;
}

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const START_DEADLINE_MS = 30_000;

/**
 * Ours, with audit, throttling and metrics as in production.
 *
 * @param command Node's arguments that start it; by default what is compiled in this checkout
 */
export async function startOurs(
  { postgresUrl, redisUrl, clientsFile }: AuthStores,
  command: readonly string[] = [`${repository}auth-server/dist/main.js`],
): Promise<AuthTarget> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const environment = {
    PORT: String(port),
    ISSUER: issuer,
    DATABASE_URL: postgresUrl,
    REDIS_URL: redisUrl,
    CLIENTS_FILE: clientsFile,
    AUDIENCES: 'https://api.example/graphql',
    KEY_ENCRYPTION_SECRET: randomBytes(32).toString('base64url'),
    COOKIE_SECRET: randomBytes(32).toString('base64url'),
    DEMO_DATA: 'true',
    OPERATIONS_PORT: '0',
    REQUESTS_PER_ADDRESS: '1000000', // all load comes from one address
  };
  const child = start(command, environment);
  await untilResponding(child, `${issuer}/health/ready`);
  return {
    ...measured('trellis', child),
    tokenUrl: `${issuer}/token`,
    seed: (kind, algorithm, count) => seedThroughPages(issuer, kind, algorithm, count),
  };
}

/** node-oidc-provider, which makes its seeds by its own models, and reads accounts from the table that ours has made. */
export async function startPeer({ postgresUrl, redisUrl }: AuthStores): Promise<AuthTarget> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const child = start(['bench/peers/oidc-provider.mjs', String(port), redisUrl, postgresUrl], {
    NODE_ENV: 'benchmark',
  });
  await untilResponding(child, `${issuer}/.well-known/openid-configuration`);
  return {
    ...measured('oidc-provider', child),
    tokenUrl: `${issuer}/token`,
    seed: async (kind, algorithm, count) => {
      const query = new URLSearchParams({ kind, client: algorithm, count: String(count) });
      const response = await fetch(`${issuer}/seed?${query.toString()}`, { method: 'POST' });
      if (!response.ok) throw new Error(`The peer made no seeds: ${await response.text()}`);
      return (await response.json()) as readonly string[];
    },
  };
}

function start(args: readonly string[], environment: Record<string, string>): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(process.execPath, args, {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH, HOME, ...environment },
  });
}

function measured(
  name: string,
  child: ChildProcess,
): Pick<AuthTarget, 'name' | 'pid' | 'processorTimeMs' | 'residentBytes' | 'stop'> {
  const pid = child.pid ?? 0;
  return {
    name,
    pid,
    processorTimeMs: () => processorTimeMs(pid),
    residentBytes: () => residentBytes(pid),
    stop: () => stop(child),
  };
}

async function untilResponding(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop(child);
  throw new Error(`${url} did not answer.`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
