import type { ProcessExit } from '@trellis/supervision';
import { findRedisProgram, startRedisServer, type RedisProgram } from './redis-server-process.ts';

/** Settings of {@link startEmbeddedRedis}. */
export interface EmbeddedRedisOptions {
  /** Holds the data; created when absent. */
  readonly directory: string;
  /** Where `redis-server` and `valkey-server` are looked for: a PATH. Empty: nowhere, the in-process server serves. */
  readonly path: string;
  /** A real server ended although nobody asked it to. It is started again at the same port. */
  readonly onExit?: (exit: ProcessExit) => void;
}

/** A Redis that runs for this process. */
export interface EmbeddedRedis {
  /** `redis://…`, with its password. */
  readonly url: string;
  /** What it is, in words. */
  readonly description: string;
  /** Ends it, its data kept. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the best Redis that this machine has: `redis-server`, else `valkey-server`, else the small one in this process.
 *
 * @throws DirectoryInUse when another process runs a server on this directory
 */
export function startEmbeddedRedis(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const program = findRedisProgram(options.path);
  return program ? startReal(program, options) : startInProcess(options);
}

async function startReal(
  program: RedisProgram,
  { directory, onExit }: EmbeddedRedisOptions,
): Promise<EmbeddedRedis> {
  const server = await startRedisServer({ directory, program, ...(onExit && { onExit }) });
  return {
    ...server,
    description: `${program.version}, ${program.name} of this machine, data in ${directory}`,
  };
}

async function startInProcess({ directory }: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const { startInProcessRedis } = await import('./server/in-process-redis.ts'); // with its Lua: only where it is needed
  const server = await startInProcessRedis({ directory });
  return {
    ...server,
    description: `in this process, because no redis-server is on the PATH, data in ${directory}`,
  };
}
