import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '@trellis/runtime/free-port';
import { startMemoryRedis } from '../start-memory-redis.ts';

/** A server that the cases run on. */
export interface RunningServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** A kind of server. */
export interface ServerKind {
  readonly name: string;
  start(password?: string): Promise<RunningServer>;
}

const PROGRAM = 'redis-server';
const READY_DEADLINE_MS = 60_000;
const START_ATTEMPTS = 5;

const memoryRedis: ServerKind = {
  name: 'memory-redis',
  start: async (password) => {
    const problems: string[] = [];
    const server = await startMemoryRedis({
      ...(password !== undefined && { password }),
      onProblem: (message) => problems.push(message),
    });
    return {
      port: server.port,
      stop: async () => {
        await server.close();
        if (problems.length > 0) throw new Error(problems.join('\n'));
      },
    };
  },
};

const version = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8', timeout: 5_000 }).stdout;

/** What `redis-server --version` says; undefined when there is none on this machine. */
export const realRedisVersion: string | undefined = /\bv=(\d+\.\d+\.\d+)/.exec(version ?? '')?.[1];

const realRedis: ServerKind = { name: `redis-server ${realRedisVersion}`, start: startRealRedis };

/** Ours, and the real one where there is one. */
export const serverKinds: readonly ServerKind[] =
  realRedisVersion === undefined ? [memoryRedis] : [memoryRedis, realRedis];

/** How a client connects. */
export interface ConnectOptions {
  readonly password?: string;
  /** @default 3, as ioredis has it */
  readonly protocol?: 2 | 3;
}

/** Connects, and fails at once where it can't. */
export async function connect(server: RunningServer, options: ConnectOptions = {}): Promise<Redis> {
  const redis = new Redis(server.port, '127.0.0.1', {
    ...options,
    lazyConnect: true,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined); // what matters comes as a rejection
  await redis.connect();
  return redis;
}

async function startRealRedis(password?: string): Promise<RunningServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
    const child = launch(port, directory, password);
    const stop = (): Promise<void> => end(child, directory);
    if (await isReady(port, child)) return { port, stop };
    await stop();
    if (attempt === START_ATTEMPTS) throw new Error(`${PROGRAM} did not start`);
  }
}

function launch(port: number, directory: string, password: string | undefined): ChildProcess {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--databases', '1'];
  const access = password === undefined ? [] : ['--requirepass', password];
  const child = spawn(PROGRAM, [...settings, '--save', '', '--appendonly', 'no', ...access], {
    stdio: 'ignore',
  });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

async function end(child: ChildProcess, directory: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await rm(directory, { recursive: true, force: true });
}

async function isReady(port: number, child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    if (await accepts(port)) return true;
    await delay(10);
  }
  return false;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => socket.end());
    socket.once('close', (failed) => resolve(!failed));
    socket.once('error', () => undefined);
  });
}
