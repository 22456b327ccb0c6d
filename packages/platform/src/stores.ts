import { join } from 'node:path';
import type { Environment } from '@trellis/config';
import { startEmbeddedPostgres } from '@trellis/embedded-postgres';
import { startEmbeddedRedis } from '@trellis/embedded-redis';
import type { Prefix } from './hosted-programs.ts';
import type { PlatformConfig } from './platform-config.ts';
import type { PlatformSecrets } from './secrets.ts';
import { prepareSchemas } from './service-schemas.ts';

/** Where the data is while the platform runs. */
export interface Stores {
  /** Of each service that has none in its environment. */
  readonly databaseUrls: Readonly<Partial<Record<Prefix, string>>>;
  /** Absent when the environment names one. */
  readonly redisUrl?: string;
  /** For the banner: which PostgreSQL and Redis are in use. */
  readonly descriptions: readonly string[];
  close(): Promise<void>;
}

/** What {@link openStores} needs to know. */
export interface StoresOptions {
  readonly config: PlatformConfig;
  readonly environment: Environment;
  readonly secrets: PlatformSecrets;
  readonly tell: (line: string) => void;
}

interface Opened {
  readonly close: () => Promise<void>;
  readonly description: string;
}

const WITH_DATABASE: readonly Prefix[] = ['AUTH', 'USERS', 'POSTS', 'COMMENTS'];

/** Starts the embedded PostgreSQL and Redis, each only when the environment does not name one for every service. */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const [postgres, redis] = await Promise.all([openPostgres(options), openRedis(options)]);
  return {
    databaseUrls: postgres.databaseUrls,
    ...(redis.url !== undefined && { redisUrl: redis.url }),
    descriptions: [postgres.description, redis.description],
    close: async () => {
      await Promise.all([postgres.close(), redis.close()]);
    },
  };
}

async function openPostgres({
  config,
  environment,
  secrets,
  tell,
}: StoresOptions): Promise<Opened & Pick<Stores, 'databaseUrls'>> {
  const isGiven = (prefix: Prefix): boolean => Boolean(environment[`${prefix}_DATABASE_URL`]);
  if (config.DATABASE_URL !== undefined || WITH_DATABASE.every(isGiven)) {
    return {
      databaseUrls: {},
      description: 'PostgreSQL  as given by DATABASE_URL',
      close: () => Promise.resolve(),
    };
  }
  const postgres = await startEmbeddedPostgres({
    directory: join(config.DATA_DIR, 'postgres'),
    onProgress: (step) =>
      tell(step === 'initializing' ? 'Initializing PostgreSQL …' : 'Starting PostgreSQL …'),
    onExit: () => tell('PostgreSQL has ended unexpectedly; it is started again.'),
  });
  try {
    const databaseUrls = await prepareSchemas(postgres.connectionString, secrets);
    return {
      databaseUrls: Object.fromEntries(
        WITH_DATABASE.filter((prefix) => !isGiven(prefix)).map((prefix) => [prefix, databaseUrls[prefix]]),
      ),
      description: `PostgreSQL  ${postgres.version}, embedded, data in ${join(config.DATA_DIR, 'postgres')}`,
      close: () => postgres.stop(),
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function openRedis({
  config,
  environment,
  tell,
}: StoresOptions): Promise<Opened & { readonly url?: string }> {
  if (config.REDIS_URL !== undefined || environment['AUTH_REDIS_URL']) {
    return { description: 'Redis       as given by REDIS_URL', close: () => Promise.resolve() };
  }
  const redis = await startEmbeddedRedis({
    directory: join(config.DATA_DIR, 'redis'),
    path: environment['PATH'] ?? '',
    onExit: () => tell('Redis has ended unexpectedly; it is started again.'),
  });
  return { url: redis.url, description: `Redis       ${redis.description}`, close: () => redis.stop() };
}
