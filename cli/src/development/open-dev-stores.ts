import { join } from 'node:path';
import { startEmbeddedPostgres, startEmbeddedRedis } from '@trellis/dev-stores';

/** PostgreSQL and Redis for a developer's own subgraph. */
export interface DevStores {
  /** DATABASE_URL and REDIS_URL. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL and Redis.
 *
 * @param directory holds their data
 * @throws DirectoryInUse, EmbeddedPostgresError
 */
export async function openDevStores(directory: string, print: (line: string) => void): Promise<DevStores> {
  const postgres = await startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    onProgress: (step) =>
      print(step === 'initializing' ? 'initializing PostgreSQL …' : 'starting PostgreSQL …'),
  });
  try {
    const redis = await startEmbeddedRedis({
      directory: join(directory, 'redis'),
      path: process.env['PATH'] ?? '',
    });
    return {
      environment: { DATABASE_URL: postgres.connectionString, REDIS_URL: redis.url },
      close: async () => {
        await Promise.all([postgres.stop(), redis.stop()]);
      },
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
