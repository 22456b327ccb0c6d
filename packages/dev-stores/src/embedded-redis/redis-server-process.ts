import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { basename, delimiter, join } from 'node:path';
import { becomesReady } from '../supervision/become-ready.ts';
import { endLeftovers } from '../supervision/leftovers.ts';
import { freePort } from '@trellis/runtime/free-port';
import { keepRunning } from '../supervision/keep-running.ts';
import { lockDirectory } from '../supervision/directory-lock.ts';
import { startGuarded, type GuardedProcess, type ProcessExit } from '../supervision/guarded-process.ts';

/** A server program found on this machine. */
export interface RedisProgram {
  /** `redis-server` or `valkey-server`. */
  readonly name: string;
  readonly command: string;
  readonly version: string;
}

/** Settings of {@link startRedisServer}. */
export interface RedisServerOptions {
  /** Holds the append-only file, the configuration and the log. Belongs to one process at a time. */
  readonly directory: string;
  readonly program: RedisProgram;
  /** Loopback port. @default 0, any free one */
  readonly port?: number;
  /** @default a random one, new at each start */
  readonly password?: string;
  /** The server ended although no one asked it to. It is started again at the same port. */
  readonly onExit?: (exit: ProcessExit) => void;
  readonly onRestart?: () => void;
  readonly onFailedRestart?: (error: unknown) => void;
}

/** A running server. */
export interface RedisServer {
  /** `redis://…`, with its password. */
  readonly url: string;
  /** Ends the server, its data written. Resolves when it is gone. Safe to call twice. */
  stop(): Promise<void>;
}

const PROGRAMS = ['redis-server', 'valkey-server'];
/** The oldest release with all the commands that the platform uses: GETDEL, ZADD GT, XTRIM MINID. */
const OLDEST = [6, 2] as const;
const READY_DEADLINE_MS = 30_000;
const PORT_ATTEMPTS = 5;

/** Finds `redis-server`, else `valkey-server`, of release 6.2 or later, in the folders of a PATH. */
export function findRedisProgram(path: string): RedisProgram | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const files = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const file of files.filter(isExecutable)) {
    const program = describeProgram(file); // runs it: no more of them than needed
    if (program && isRecent(program.version)) return program;
  }
  return undefined;
}

/**
 * Starts a server on a directory: loopback address, a password of its own, every write in the append-only file. It ends
 * with this process, however that ends; what an earlier run left behind is ended first, and a server that dies is
 * started again.
 *
 * @throws DirectoryInUse when another process runs a server on this directory
 * @throws Error with the end of the server's log when it does not start
 */
export async function startRedisServer(options: RedisServerOptions): Promise<RedisServer> {
  const lock = lockDirectory(options.directory);
  try {
    return await run(options, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function run(options: RedisServerOptions, onStopped: () => void): Promise<RedisServer> {
  const password = options.password ?? randomBytes(24).toString('base64url');
  let port = options.port ?? 0;
  const running = await keepRunning({
    start: async () => {
      await clearLeftovers(options);
      const started = await startAt(port, password, options);
      port = started.port; // a restart keeps the address that clients know
      return started.server;
    },
    ...(options.onExit && { onExit: options.onExit }),
    ...(options.onRestart && { onRestart: options.onRestart }),
    ...(options.onFailedRestart && { onFailedRestart: options.onFailedRestart }),
  });
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    stop: () => running.stop().finally(onStopped),
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function describeProgram(command: string): RedisProgram | undefined {
  const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', timeout: 5_000 });
  const version = /\bv=(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
  return version === undefined ? undefined : { name: basename(command), command, version };
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** The executable behind Debian's `redis-server` is named `redis-check-rdb`: links are resolved. */
function clearLeftovers({ directory, program }: RedisServerOptions): Promise<void> {
  return endLeftovers({
    directory,
    executables: [basename(realpathSync(program.command)), program.name],
    pidFile: 'redis.pid',
    escalation: [
      { signal: 'SIGTERM', patienceMs: 5_000 },
      { signal: 'SIGKILL', patienceMs: 5_000 },
    ],
  });
}

/** At a port of its own choice the server may find it taken between the choice and the binding. */
async function startAt(
  port: number,
  password: string,
  options: RedisServerOptions,
): Promise<{ port: number; server: GuardedProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const chosen = port === 0 ? await freePort() : port;
    try {
      return { port: chosen, server: await startServer(chosen, password, options) };
    } catch (error) {
      const taken = error instanceof Error && error.message.includes('Address already in use');
      if (!taken || port !== 0 || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startServer(
  port: number,
  password: string,
  options: RedisServerOptions,
): Promise<GuardedProcess> {
  const server = await launch(port, password, options);
  if (await becomesReady(server, () => responses(port, password), READY_DEADLINE_MS)) return server;
  await server.stop();
  throw new Error(`${options.program.name} did not start; its log ends so:\n${lastWords(options.directory)}`);
}

/** The password is in a file that only its owner reads, never on a command line. */
async function launch(port: number, password: string, options: RedisServerOptions): Promise<GuardedProcess> {
  const configuration = join(options.directory, 'redis.conf');
  writeFileSync(configuration, configurationText(port, password, options.directory), { mode: 0o600 });
  const output = openSync(join(options.directory, 'redis.log'), 'w', 0o600);
  try {
    return await startGuarded({
      command: options.program.command,
      args: [configuration],
      cwd: options.directory,
      environment: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      stopSignal: 'SIGTERM',
      forceSignal: 'SIGKILL',
      output,
    });
  } finally {
    closeSync(output);
  }
}

/** `everysec` loses at most the last second at a crash of the machine, and nothing when the server is killed. */
function configurationText(port: number, password: string, directory: string): string {
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(directory)}`,
    `pidfile ${JSON.stringify(join(directory, 'redis.pid'))}`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    'daemonize no',
  ];
  return `${lines.join('\n')}\n`;
}

/** While it reads its append-only file, a server answers PING with -LOADING. */
function responses(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    let received = '';
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\nQUIT\r\n`));
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(received.startsWith('+OK\r\n+PONG\r\n')));
  });
}

function lastWords(directory: string): string {
  return readFileSync(join(directory, 'redis.log'), 'utf8').trimEnd().split('\n').slice(-5).join('\n');
}
