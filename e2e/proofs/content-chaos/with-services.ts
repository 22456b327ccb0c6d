import { join } from 'node:path';
import { startEmbeddedPostgres } from '@trellis/embedded-postgres';
import { createPool, type Pool } from '@trellis/postgres';
import {
  createTemporaryDirectory,
  createTestDatabase,
  startTestRedis,
  type TestRedis,
} from '@trellis/testkit';
import { createContentServices, type ContentServices } from '../../harness/content-services.ts';

/** Services that run, and what they stand on. */
export interface Ground {
  readonly services: ContentServices;
  readonly redis: TestRedis;
  /** To the database of the services, as a superuser. */
  readonly pool: Pool;
}

/** Ground with a PostgreSQL that nobody else uses, so that it may be broken. */
export interface BreakableGround extends Ground {
  /** The cluster's data directory. */
  readonly dataDirectory: string;
}

/** Runs two processes of each service on a database of the PostgreSQL of all tests, and ends them. */
export async function withServices<Result>(work: (ground: Ground) => Promise<Result>): Promise<Result> {
  const database = await createTestDatabase();
  try {
    return await withServicesOn(database.connectionString, work);
  } finally {
    await database.drop();
  }
}

/** Runs two processes of each service on a PostgreSQL of their own, and ends them. */
export async function withOwnPostgres<Result>(
  work: (ground: BreakableGround) => Promise<Result>,
): Promise<Result> {
  const directory = createTemporaryDirectory();
  const cluster = join(directory.path, 'postgres');
  try {
    const postgres = await startEmbeddedPostgres({ directory: cluster });
    try {
      const dataDirectory = join(cluster, 'data');
      return await withServicesOn(postgres.connectionString, (ground) => work({ ...ground, dataDirectory }));
    } finally {
      await postgres.stop();
    }
  } finally {
    directory.remove();
  }
}

async function withServicesOn<Result>(
  databaseUrl: string,
  work: (ground: Ground) => Promise<Result>,
): Promise<Result> {
  const directory = createTemporaryDirectory();
  const redis = await startTestRedis();
  const pool = createPool({ connectionString: databaseUrl, schema: 'public', statementTimeoutMs: 60_000 });
  const services = await createContentServices({
    databaseUrl,
    redisUrl: redis.url,
    replicas: 2,
    logDirectory: directory.path,
  });
  try {
    await services.start();
    return await work({ services, redis, pool });
  } finally {
    await services.stop();
    await pool.end();
    await redis.stop();
    directory.remove();
  }
}
