import { join } from 'node:path';
import { findRedisProgram, startRedisServer, type RedisProgram } from '@trellis/embedded-redis';
import { freePort } from '@trellis/supervision';
import { createTemporaryDirectory } from './temporary-directory.ts';

/** A private, empty Redis. */
export interface TestRedis {
  /** `redis://…`; stays the same over restarts. */
  readonly url: string;
  /** Ends the server and deletes its data. Safe to call twice. */
  stop(): Promise<void>;
  /** Ends the server and starts it again at the same address with the same data. */
  restart(): Promise<void>;
}

/** Which Redis tests run on. */
export interface TestRedisChoice {
  /** For example `redis-server 7.0.15`. */
  readonly description: string;
  readonly program: RedisProgram;
}

/** A real server where the machine has one. */
export function chooseTestRedis(): TestRedisChoice {
  const program = findRedisProgram(process.env['PATH'] ?? '');
  if (!program) throw new Error('There is no redis-server on PATH.');
  return { description: `${program.name} ${program.version}`, program };
}

/** Starts a Redis of its own on a free port, in a temporary directory. */
export async function startTestRedis(): Promise<TestRedis> {
  const { program } = chooseTestRedis();
  const directory = createTemporaryDirectory();
  const options = {
    directory: join(directory.path, 'redis'),
    program,
    port: await freePort(),
    password: 'test',
  };
  let server = await startRedisServer(options);
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      directory.remove();
    },
    restart: async () => {
      await server.stop();
      server = await startRedisServer(options);
    },
  };
}
