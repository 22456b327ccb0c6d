import { join } from 'node:path';
import {
  DirectoryInUse,
  EmbeddedPostgresError,
  startEmbeddedPostgres,
  startEmbeddedRedis,
  type EmbeddedPostgres,
} from '@trellis/dev-stores';
import { StartupError } from '@trellis/runtime';

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
 * @param binariesDirectory of PostgreSQL. @default that of the package for this platform
 * @throws StartupError where this machine runs no embedded PostgreSQL, or another process uses the directory
 */
export async function openDevStores(
  directory: string,
  print: (line: string) => void,
  binariesDirectory?: string,
): Promise<DevStores> {
  const postgres = await startPostgres(directory, print, binariesDirectory);
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

function startPostgres(
  directory: string,
  print: (line: string) => void,
  binariesDirectory: string | undefined,
): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    onProgress: (step) =>
      print(step === 'initializing' ? 'initializing PostgreSQL …' : 'starting PostgreSQL …'),
    ...(binariesDirectory !== undefined && { binariesDirectory }),
  }).catch(explain);
}

function explain(error: unknown): never {
  const advice = adviceFor(error);
  if (advice === undefined || !(error instanceof Error)) throw error;
  throw new StartupError(error.message.replace(/\.$/, '') + advice, { cause: error });
}

function adviceFor(error: unknown): string | undefined {
  if (error instanceof EmbeddedPostgresError) return ', and leave out --stores.';
  return error instanceof DirectoryInUse ? ': end it, or set DATA_DIR to another folder.' : undefined;
}
