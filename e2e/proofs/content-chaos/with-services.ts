import { createPool, type Pool } from '@trellis/postgres';
import {
  createTemporaryDirectory,
  createTestDatabase,
  startTestRedis,
  type TestRedis,
} from '@trellis/testkit';
import {
  byService,
  contentServices,
  createContentServices,
  type ByService,
  type ContentServices,
} from '../../harness/content-services.ts';
import { withClusters } from './with-clusters.ts';

/** To the database of each service, as a superuser. */
export type Databases = ByService<Pool>;

/** Services that run, and what they stand on. */
export interface Ground {
  readonly services: ContentServices;
  readonly databases: Databases;
  readonly redis: Pick<TestRedis, 'url'>;
}

/** Ground with one database for all services. */
export interface SharedGround extends Ground {
  readonly pool: Pool;
}

interface GroundOptions {
  readonly databaseUrls: ByService<string>;
  readonly redis: Pick<TestRedis, 'url'>;
  /** Processes of each service. */
  readonly replicas: number;
}

/** Runs two processes of each service on a database of the PostgreSQL of all tests, and ends them. */
export function withServices<Result>(
  work: (ground: SharedGround & { readonly redis: TestRedis }) => Promise<Result>,
): Promise<Result> {
  return withTestRedis((redis) => withTestDatabase(redis, 2, (ground) => work({ ...ground, redis })));
}

/** Runs a process of each service on a database of the PostgreSQL of all tests and on a Redis that may be broken. */
export function withRedis<Result>(
  redis: Pick<TestRedis, 'url'>,
  work: (ground: SharedGround) => Promise<Result>,
): Promise<Result> {
  return withTestDatabase(redis, 1, work);
}

/** Runs a process of each service on one PostgreSQL that no one else uses, so that it may be broken. */
export function withOwnPostgres<Result>(
  work: (ground: SharedGround & { readonly dataDirectory: string }) => Promise<Result>,
): Promise<Result> {
  return withClusters(['all'] as const, ({ all: { url, dataDirectory } }) =>
    withTestRedis((redis) =>
      withServicesOn({ databaseUrls: byService(() => url), redis, replicas: 1 }, (ground) =>
        work({ ...ground, pool: ground.databases.posts, dataDirectory }),
      ),
    ),
  );
}

/** Runs a process of each service, each on a PostgreSQL of its own that may be broken. */
export function withPostgresEach<Result>(
  work: (ground: Ground & { readonly dataDirectories: ByService<string> }) => Promise<Result>,
): Promise<Result> {
  return withClusters(contentServices, (clusters) => {
    const databaseUrls = byService((service) => clusters[service].url);
    const dataDirectories = byService((service) => clusters[service].dataDirectory);
    return withTestRedis((redis) =>
      withServicesOn({ databaseUrls, redis, replicas: 1 }, (ground) => work({ ...ground, dataDirectories })),
    );
  });
}

async function withTestRedis<Result>(work: (redis: TestRedis) => Promise<Result>): Promise<Result> {
  const redis = await startTestRedis();
  try {
    return await work(redis);
  } finally {
    await redis.stop();
  }
}

async function withTestDatabase<Result>(
  redis: Pick<TestRedis, 'url'>,
  replicas: number,
  work: (ground: SharedGround) => Promise<Result>,
): Promise<Result> {
  const database = await createTestDatabase();
  const databaseUrls = byService(() => database.connectionString);
  try {
    return await withServicesOn({ databaseUrls, redis, replicas }, (ground) =>
      work({ ...ground, pool: ground.databases.posts }),
    );
  } finally {
    await database.drop();
  }
}

async function withServicesOn<Result>(
  { databaseUrls, redis, replicas }: GroundOptions,
  work: (ground: Ground) => Promise<Result>,
): Promise<Result> {
  const directory = createTemporaryDirectory();
  const databases = byService((service) =>
    createPool({ connectionString: databaseUrls[service], schema: 'public', statementTimeoutMs: 60_000 }),
  );
  const services = await createContentServices({
    databaseUrls,
    redisUrl: redis.url,
    replicas,
    logDirectory: directory.path,
  });
  try {
    await services.start();
    return await work({ services, databases, redis });
  } finally {
    await services.stop();
    await Promise.all(Object.values(databases).map((pool) => pool.end()));
    directory.remove();
  }
}
