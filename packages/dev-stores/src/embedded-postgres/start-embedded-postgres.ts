import { chmodSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { endLeftovers } from '../supervision/leftovers.ts';
import { freePort } from '@trellis/runtime/free-port';
import { keepRunning } from '../supervision/keep-running.ts';
import { lockDirectory } from '../supervision/directory-lock.ts';
import { type GuardedProcess, type ProcessExit } from '../supervision/guarded-process.ts';
import { chooseAccount } from './account.ts';
import { prepareBinaries } from './binaries.ts';
import { hasCluster, initializeCluster, requireSameMajor, SUPERUSER, superuserPassword } from './cluster.ts';
import {
  needsPath,
  PortTaken,
  removePostmasterFile,
  startServer,
  type ServerOptions,
} from './server-process.ts';

/** What {@link startEmbeddedPostgres} is busy with. */
export type PostgresStep = 'initializing' | 'starting';

/** Settings of {@link startEmbeddedPostgres}. */
export interface EmbeddedPostgresOptions {
  /** Holds the cluster, its password and its log; created when absent. Belongs to one process at a time. */
  readonly directory: string;
  /** Loopback port. @default 0, any free one */
  readonly port?: number;
  /** A folder with `initdb` and `postgres` of PostgreSQL 15 or later. @default the binaries installed with this package */
  readonly binariesDirectory?: string;
  /** Where root puts binaries that the server's account could not reach otherwise. @default '/var/lib/trellis' */
  readonly copiesDirectory?: string;
  /** `crash`: what was committed survives a crash of the machine. `none`: for data that no one will miss. @default 'crash' */
  readonly durability?: 'crash' | 'none';
  /** Ends the server when aborted. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (step: PostgresStep) => void;
  /** The server ended although no one asked it to. It is started again at the same port. */
  readonly onExit?: (exit: ProcessExit) => void;
  readonly onRestart?: () => void;
  readonly onFailedRestart?: (error: unknown) => void;
}

/** A running PostgreSQL. */
export interface EmbeddedPostgres {
  /** Of the superuser, to the database `postgres`, on the loopback address. */
  readonly connectionString: string;
  /** For example `18.4`. */
  readonly version: string;
  /** Ends sessions and server. Resolves when the server is gone. Safe to call twice. */
  stop(): Promise<void>;
}

const PORT_ATTEMPTS = 5;
/** Faster, and without a promise about crashes of the machine. */
const UNSAFE_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * Starts a real PostgreSQL on a directory, making the cluster the first time. The server ends with this process,
 * however that ends; what an earlier run left behind is ended first, and a server that dies is started again. As root
 * it runs as an unprivileged account, also where only root may enter the directories above its own.
 *
 * @throws DirectoryInUse when another process runs a server on this directory
 * @throws EmbeddedPostgresError with the reason in words
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const directory = resolve(options.directory);
  const lock = lockDirectory(directory);
  try {
    const prepared = await prepare(directory, options);
    const postgres = await run(prepared, options);
    return { ...postgres, stop: () => postgres.stop().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

type Prepared = Omit<ServerOptions, 'port'> & { readonly password: string };

async function prepare(directory: string, options: EmbeddedPostgresOptions): Promise<Prepared> {
  const dataDirectory = join(directory, 'data');
  const account = chooseAccount(dataDirectory);
  const binaries = prepareBinaries({
    account,
    ...(options.binariesDirectory && { directory: options.binariesDirectory }),
    ...(options.copiesDirectory && { copiesDirectory: options.copiesDirectory }),
  });
  if (account && needsPath(binaries)) chmodSync(directory, 0o711); // to pass through, not to look around
  const password = superuserPassword(directory);
  const sync = options.durability !== 'none';
  if (hasCluster(dataDirectory)) {
    requireSameMajor(dataDirectory, binaries);
  } else {
    options.onProgress?.('initializing');
    await initializeCluster({ dataDirectory, binaries, account, password, sync });
  }
  const settings = sync ? {} : UNSAFE_SETTINGS;
  return { dataDirectory, logFile: join(directory, 'postgres.log'), binaries, account, password, settings };
}

async function run(prepared: Prepared, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  options.onProgress?.('starting');
  let port = options.port ?? 0;
  const running = await keepRunning({
    start: async () => {
      await clearLeftovers(prepared.dataDirectory);
      const started =
        port === 0
          ? await startAtFreePort(prepared)
          : { port, server: await startServer({ ...prepared, port }) };
      port = started.port; // a restart keeps the address that clients know
      return started.server;
    },
    ...(options.onExit && { onExit: options.onExit }),
    ...(options.onRestart && { onRestart: options.onRestart }),
    ...(options.onFailedRestart && { onFailedRestart: options.onFailedRestart }),
  });
  const stop = (): Promise<void> => running.stop();
  options.signal?.addEventListener('abort', () => void stop(), { once: true });
  const connectionString = `postgresql://${SUPERUSER}:${prepared.password}@127.0.0.1:${port}/postgres`;
  return { connectionString, version: prepared.binaries.version, stop };
}

/** Once nothing runs here, the pid file is stale, even if another process has that process id now. */
async function clearLeftovers(dataDirectory: string): Promise<void> {
  await endLeftovers({
    directory: dataDirectory,
    executables: ['postgres'],
    pidFile: 'postmaster.pid',
    escalation: [
      { signal: 'SIGINT', patienceMs: 5_000 }, // fast shutdown
      { signal: 'SIGQUIT', patienceMs: 2_000 }, // immediate shutdown
      { signal: 'SIGKILL', patienceMs: 5_000 },
    ],
  });
  removePostmasterFile(dataDirectory);
}

/** Someone may take the port between our look and the server's. */
async function startAtFreePort(prepared: Prepared): Promise<{ port: number; server: GuardedProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { port, server: await startServer({ ...prepared, port }) };
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}
