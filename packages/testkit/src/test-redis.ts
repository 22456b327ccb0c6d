import { join } from 'node:path';
import { findRedisProgram, freePort, startEmbeddedRedis } from '@trellis/dev-stores';
import { createTemporaryDirectory } from './temporary-directory.ts';

/** A private, empty Redis. */
export interface TestRedis {
  /** `redis://…`; stays the same over restarts. */
  readonly url: string;
  /** Ends the server and deletes its data. Safe to call twice. */
  stop(): Promise<void>;
  /** Ends the server, waits for `whileStopped`, and starts it again at the same address with the same data. */
  restart(whileStopped?: () => Promise<void>): Promise<void>;
}

/** What tests run on, for the first line of their output. TEST_REDIS=embedded forbids a real server. */
export function describeTestRedis(): string {
  const program = findRedisProgram(searchPath());
  return program ? `${program.name} ${program.version}` : 'the embedded Redis instead of a redis-server';
}

/** Starts a Redis of its own on a free port, in a temporary directory: a real server where the machine has one. */
export async function startTestRedis(): Promise<TestRedis> {
  const directory = createTemporaryDirectory();
  const options = {
    directory: join(directory.path, 'redis'),
    path: searchPath(),
    port: await freePort(),
    password: 'test',
  };
  let server = await startEmbeddedRedis(options);
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      directory.remove();
    },
    restart: async (whileStopped) => {
      await server.stop();
      await whileStopped?.();
      server = await startEmbeddedRedis(options);
    },
  };
}

function searchPath(): string {
  return process.env['TEST_REDIS'] === 'embedded' ? '' : (process.env['PATH'] ?? '');
}
