import { join } from 'node:path';
import type { Environment } from '@trellis/runtime';
import { startEmbeddedPostgres, startEmbeddedRedis } from '@trellis/dev-stores';
import { areAllExternal, describeExternalStores, type ExternalDescriptions } from './external-stores.ts';
import type { Prefix } from '../programs.ts';
import type { PlatformConfig } from './environment-table.ts';
import type { PlatformSecrets } from './secrets.ts';
import type { Progress, Step } from '../terminal/index.ts';
import { prepareSchemas } from './service-schemas.ts';

/** Where the data is while the platform runs. */
export interface Stores {
  /** In the embedded PostgreSQL; empty when the environment names one for every service. */
  readonly databaseUrls: Readonly<Partial<Record<Prefix, string>>>;
  /** The embedded Redis; absent when the environment names one for every service. */
  readonly redisUrl?: string;
  /** For the banner: which PostgreSQL and Redis are in use. */
  readonly descriptions: readonly string[];
  close(): Promise<void>;
}

/** What {@link openStores} needs to know. */
export interface StoresOptions {
  readonly config: Pick<PlatformConfig, 'DATA_DIR'>;
  readonly environment: Environment;
  readonly secrets: PlatformSecrets;
  readonly progress: Progress;
  /** Whose stores are wanted, by their prefixes. @default all */
  readonly wantedBy?: readonly Prefix[];
}

interface Opened {
  readonly descriptions: readonly string[];
  readonly close: () => Promise<void>;
}

type OpenedPostgres = Opened & Pick<Stores, 'databaseUrls'>;
type OpenedRedis = Opened & Pick<Stores, 'redisUrl'>;

const nothingToClose = (): Promise<void> => Promise.resolve();

/**
 * Sees that the stores that the environment names answer, and starts the embedded PostgreSQL and Redis, each unless the
 * environment names one for every service.
 *
 * @throws StoreUnavailable with all that the environment names and that do not answer, before one is started
 */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const external = await describeExternalStores(options.environment, options.wantedBy);
  const [postgres, redis] = await openBoth(options, external);
  return {
    databaseUrls: postgres.databaseUrls,
    ...(redis.redisUrl !== undefined && { redisUrl: redis.redisUrl }),
    descriptions: [
      ...postgres.descriptions.map((text) => `PostgreSQL  ${text}`),
      ...redis.descriptions.map((text) => `Redis       ${text}`),
    ],
    close: async () => {
      await Promise.all([postgres.close(), redis.close()]);
    },
  };
}

/** When one of the two fails, the other is closed again. */
async function openBoth(
  options: StoresOptions,
  external: ExternalDescriptions,
): Promise<[OpenedPostgres, OpenedRedis]> {
  const outcomes = await Promise.allSettled([
    openPostgres(options, external.postgres),
    openRedis(options, external.redis),
  ]);
  const [postgres, redis] = outcomes;
  if (postgres.status === 'fulfilled' && redis.status === 'fulfilled') return [postgres.value, redis.value];
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value.close();
  throw postgres.status === 'rejected' ? postgres.reason : (redis as PromiseRejectedResult).reason;
}

async function openPostgres(
  { config, environment, secrets, progress, wantedBy }: StoresOptions,
  given: readonly string[],
): Promise<OpenedPostgres> {
  if (areAllExternal('DATABASE_URL', environment, wantedBy)) {
    return { databaseUrls: {}, descriptions: given, close: nothingToClose };
  }
  const directory = join(config.DATA_DIR, 'postgres');
  const { print } = progress;
  const postgres = await startInSteps(progress, (onProgress) =>
    startEmbeddedPostgres({
      directory,
      onProgress,
      onExit: () => print('PostgreSQL has ended unexpectedly; it is started again.'),
      onRestart: () => print('PostgreSQL serves again.'),
      onFailedRestart: (error) => print(`PostgreSQL could not be started again: ${String(error)}`),
    }),
  );
  try {
    const databaseUrls = await prepareSchemas(postgres.connectionString, secrets);
    const embedded = `${postgres.version}, embedded, data in ${directory}`;
    return { databaseUrls, descriptions: [embedded, ...given], close: () => postgres.stop() };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

type StartStep = 'initializing' | 'starting';

/** A first start initializes what a later one only starts: each is a step. */
async function startInSteps<Started>(
  progress: Progress,
  start: (onProgress: (step: StartStep) => void) => Promise<Started>,
): Promise<Started> {
  let current: Step | undefined;
  try {
    const started = await start((step) => {
      current?.done();
      current = progress.step(step === 'initializing' ? 'Initializing PostgreSQL' : 'Starting PostgreSQL');
    });
    current?.done();
    return started;
  } catch (error) {
    current?.fail();
    throw error;
  }
}

async function openRedis(
  { config, environment, progress, wantedBy }: StoresOptions,
  given: readonly string[],
): Promise<OpenedRedis> {
  if (areAllExternal('REDIS_URL', environment, wantedBy))
    return { descriptions: given, close: nothingToClose };
  const redis = await startEmbeddedRedis({
    directory: join(config.DATA_DIR, 'redis'),
    path: environment['PATH'] ?? '',
    onExit: () => progress.print('Redis has ended unexpectedly; it is started again.'),
  });
  return {
    redisUrl: redis.url,
    descriptions: [redis.description, ...given],
    close: () => redis.stop(),
  };
}
