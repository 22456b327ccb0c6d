import { join } from 'node:path';
import { startEmbeddedPostgres } from '@trellis/dev-stores';
import type { TestProject } from 'vitest/node';
import { createTemporaryDirectory, removeAbandonedDirectories } from './temporary-directory.ts';
import { describeTestRedis } from './test-redis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser's connection string to the PostgreSQL of this test run. */
    readonly testPostgresUrl: string;
  }
}

/**
 * Vitest's global setup: starts one PostgreSQL for the whole run, in a temporary directory, and removes it afterwards.
 * TEST_POSTGRES_BIN names a folder with the binaries of another release, 15 or later.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeAbandonedDirectories();
  const directory = createTemporaryDirectory();
  const binariesDirectory = process.env['TEST_POSTGRES_BIN'];
  const postgres = await startEmbeddedPostgres({
    directory: join(directory.path, 'postgres'),
    durability: 'none',
    ...(binariesDirectory && { binariesDirectory }),
  });
  project.provide('testPostgresUrl', postgres.connectionString);
  process.stderr.write(`Tests run on PostgreSQL ${postgres.version} and ${describeTestRedis()}.\n`);
  return async () => {
    await postgres.stop();
    directory.remove();
  };
}
