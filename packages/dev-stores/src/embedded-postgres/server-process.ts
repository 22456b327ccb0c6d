import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { becomesReady } from '../supervision/become-ready.ts';
import { startGuarded, type GuardedProcess } from '../supervision/guarded-process.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** What the server is started with. */
export interface ServerOptions {
  readonly dataDirectory: string;
  /** Takes the server's own log. */
  readonly logFile: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  readonly port: number;
  /** Settings beyond ours, as `name → value` of postgresql.conf. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Something else listens on the port. */
export class PortTaken extends EmbeddedPostgresError {
  constructor(port: number) {
    super(`PostgreSQL could not start, because port ${port} is in use.`);
  }
}

/** Nothing of our own environment: no locale, no PG… variable, no secret. */
export const serverEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** Recovery after a crash may replay minutes of work. */
const READY_DEADLINE_MS = 60_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/**
 * Starts a server and waits until it takes connections.
 *
 * @throws PortTaken
 * @throws EmbeddedPostgresError with the server's own words
 */
export async function startServer(options: ServerOptions): Promise<GuardedProcess> {
  const server = await launch(options);
  if (await becomesReady(server, () => isReady(options.dataDirectory), READY_DEADLINE_MS)) return server;
  await server.stop();
  const words = lastWords(options.logFile);
  if (/could not bind|could not create any TCP\/IP sockets/.test(words)) throw new PortTaken(options.port);
  throw new EmbeddedPostgresError(
    `PostgreSQL did not start; its log, ${options.logFile}, ends so:\n${words}`,
  );
}

/**
 * How the data directory is named to PostgreSQL. On Linux it is the working directory, by a link that leads there even
 * when the directories above it are closed to the account that the server runs as. Releases before 16 leave their
 * working directory while they look for themselves, so they are given the path.
 */
export function dataDirectoryArgument(dataDirectory: string, binaries: Binaries): string {
  return needsPath(binaries) ? dataDirectory : '/proc/self/cwd';
}

/** Whether the account that the server runs as must be able to reach the data directory by its path. */
export function needsPath({ version }: Binaries): boolean {
  return process.platform !== 'linux' || Number.parseInt(version, 10) < 16;
}

async function launch(options: ServerOptions): Promise<GuardedProcess> {
  const output = openLog(options.logFile);
  try {
    return await startGuarded({
      command: options.binaries.postgres,
      args: serverArguments(options),
      cwd: options.dataDirectory,
      environment: serverEnvironment,
      ...(options.account && { runAs: { uid: options.account.uid, gid: options.account.gid } }),
      stopSignal: 'SIGINT', // fast shutdown: ends sessions, writes a checkpoint
      forceSignal: 'SIGQUIT', // immediate shutdown: recovers at the next start
      output,
    });
  } finally {
    closeSync(output);
  }
}

function serverArguments(options: ServerOptions): readonly string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(options.port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '128MB',
    max_logical_replication_workers: '0',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', dataDirectoryArgument(options.dataDirectory, options.binaries), ...flags];
}

/** The log of earlier runs is retained up to a bound, and once beyond it. */
function openLog(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

/** What the server says of itself in line 8 of `postmaster.pid`. */
function isReady(dataDirectory: string): boolean {
  try {
    return readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim() === 'ready';
  } catch {
    return false; // not written yet, or removed by a server that ended
  }
}

/** Removes a `postmaster.pid` whose server is known to be gone: its process id may be someone else's by now. */
export function removePostmasterFile(dataDirectory: string): void {
  rmSync(join(dataDirectory, 'postmaster.pid'), { force: true });
}

function lastWords(logFile: string): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
}
