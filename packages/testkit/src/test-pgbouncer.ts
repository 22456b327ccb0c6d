import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, constants, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@trellis/dev-stores';
import { Client } from 'pg';
import { createTemporaryDirectory } from './temporary-directory.ts';

/** A PgBouncer in transaction mode before a database, with its defaults otherwise. */
export interface TestPgBouncer {
  readonly connectionString: string;
  /** Ends it as `kill` would, waits for `whileStopped`, and starts it again at the same address. */
  restart(whileStopped?: () => Promise<void>): Promise<void>;
  /** Safe to call twice. */
  stop(): Promise<void>;
}

/** Settings of {@link startTestPgBouncer}. */
export interface TestPgBouncerOptions {
  /** Of the database behind it. */
  readonly connectionString: string;
  /** Further lines of its configuration, for example `ignore_startup_parameters = options`. @default none */
  readonly settings?: readonly string[];
}

/** Debian's place is not on everybody's PATH. */
const PLACES = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'];
/** It does not run as root. */
const UNPRIVILEGED = 'daemon';
const START_ATTEMPTS = 100;
const START_PAUSE_MS = 50;

/** Whether this machine has a PgBouncer; tests that need one say so and skip where it has none. */
export const hasPgBouncer: boolean = findPgBouncer() !== undefined;

/**
 * Starts a PgBouncer of its own on a free port.
 *
 * @throws Error when the machine has none, or it does not start
 */
export async function startTestPgBouncer(options: TestPgBouncerOptions): Promise<TestPgBouncer> {
  const directory = createTemporaryDirectory();
  chmodSync(directory.path, 0o755); // it gives up root before it reads
  const port = await freePort();
  const file = join(directory.path, 'pgbouncer.ini');
  writeFileSync(file, configuration(options, port));
  const connectionString = throughPort(options.connectionString, port);
  let program = await start(file, connectionString);
  return {
    connectionString,
    restart: async (whileStopped) => {
      await end(program);
      await whileStopped?.();
      program = await start(file, connectionString);
    },
    stop: async () => {
      await end(program);
      directory.remove();
    },
  };
}

function configuration({ connectionString, settings = [] }: TestPgBouncerOptions, port: number): string {
  const server = new URL(connectionString);
  const target = `host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}`;
  return [
    '[databases]',
    `* = ${target}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    ...settings,
    '',
  ].join('\n');
}

function throughPort(connectionString: string, port: number): string {
  const url = new URL(connectionString);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

async function start(file: string, connectionString: string): Promise<ChildProcess> {
  const path = findPgBouncer();
  if (path === undefined) throw new Error('This machine has no pgbouncer.');
  const asRoot = process.getuid?.() === 0 ? ['-u', UNPRIVILEGED] : [];
  const program = spawn(path, ['-q', ...asRoot, file], { stdio: 'ignore' });
  for (let attempt = 1; !(await accepts(connectionString)); attempt += 1) {
    if (attempt === START_ATTEMPTS) throw new Error('pgbouncer did not start.');
    await delay(START_PAUSE_MS);
  }
  return program;
}

async function accepts(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGTERM'); // at once, whatever is open
  await ended;
}

function findPgBouncer(): string | undefined {
  return PLACES.map((place) => join(place, 'pgbouncer')).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
