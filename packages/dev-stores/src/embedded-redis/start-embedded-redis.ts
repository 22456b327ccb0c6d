import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { lockDirectory } from '../supervision/directory-lock.ts';
import { type ProcessExit } from '../supervision/guarded-process.ts';
import { findRedisProgram, startRedisServer, type RedisProgram } from './redis-server-process.ts';

/** Settings of {@link startEmbeddedRedis}. */
export interface EmbeddedRedisOptions {
  /** Holds the data; created when absent. Belongs to one process at a time. */
  readonly directory: string;
  /** Where `redis-server` and `valkey-server` are looked for: a PATH. Empty: nowhere, the in-process server serves. */
  readonly path: string;
  /** Loopback port. @default 0, any free one */
  readonly port?: number;
  /** @default a random one, new at each start */
  readonly password?: string;
  /** A real server ended although no one asked it to. It is started again at the same port. */
  readonly onExit?: (exit: ProcessExit) => void;
}

/** A Redis that runs for this process. */
export interface EmbeddedRedis {
  /** `redis://…`, with its password, on the loopback address. */
  readonly url: string;
  /** What it is, in words. */
  readonly description: string;
  /** Ends it and retains its data. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the best Redis that this machine has: `redis-server`, else `valkey-server`, each of release 6.2 or later, else
 * the small one in this process.
 *
 * @throws DirectoryInUse when another process runs a server on this directory
 */
export async function startEmbeddedRedis(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const program = findRedisProgram(options.path);
  return program ? startReal(program, options) : startInProcess(options);
}

async function startReal(program: RedisProgram, options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const { directory, port, password, onExit } = options;
  const server = await startRedisServer({
    directory,
    program,
    ...(port !== undefined && { port }),
    ...(password !== undefined && { password }),
    ...(onExit && { onExit }),
  });
  return {
    ...server,
    description: `${program.version}, ${program.name} of this machine, data in ${directory}`,
  };
}

async function startInProcess(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const { startMemoryRedis } = await import('../memory-redis/start-memory-redis.ts'); // with its Lua: only where it is needed
  const lock = lockDirectory(options.directory);
  try {
    const server = await startMemoryRedis({
      port: options.port ?? 0,
      password: options.password ?? randomBytes(24).toString('base64url'),
      snapshotFile: join(options.directory, 'redis.snapshot'),
    });
    return {
      url: server.url,
      description: `in this process, because no redis-server is on the PATH, data in ${options.directory}`,
      stop: () => server.close().finally(() => lock.release()),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
