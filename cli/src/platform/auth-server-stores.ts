import { allowsConveniences, type Environment, type Surroundings } from '@trellis/runtime';
import { lockDirectory } from '@trellis/dev-stores';
import { readPlatformConfig, type PlatformConfig } from './platform-config.ts';
import { readPlatformFile } from './platform-file.ts';
import { loadSecrets } from './secrets.ts';
import { withoutEmpty } from './service-environments.ts';
import type { Progress } from '../terminal/index.ts';
import { openStores } from './stores.ts';
import { withSecretFiles } from './secret-files.ts';

/** The auth-server's environment, its stores within reach. */
export interface AuthServerStores {
  readonly environment: Environment;
  /** Ends what was started for it. */
  close(): Promise<void>;
}

/**
 * Completes the auth-server's environment when it is used alone: from the platform that runs on the same data
 * directory, else by starting the embedded stores where the environment names none. Nothing is added where conveniences of development
 * are rejected.
 *
 * @throws ConfigError when a variable of the platform is wrong, or a file with a secret can't be used
 * @throws DirectoryInUse when the data directory is held by a platform that is still starting
 */
export async function openAuthServerStores(
  givenEnvironment: Environment,
  progress: Progress,
): Promise<AuthServerStores> {
  const environment = withSecretFiles(givenEnvironment);
  const config = readPlatformConfig(environment);
  const given = withoutEmpty(environment);
  const running = readPlatformFile(config.DATA_DIR);
  if (running) {
    return { environment: { ...running.authServerEnvironment, ...given }, close: () => Promise.resolve() };
  }
  if (!allowsConveniences(surroundingsOf(config, given)))
    return { environment, close: () => Promise.resolve() };
  return openEmbedded(config, given, progress);
}

function surroundingsOf({ NODE_ENV }: PlatformConfig, given: Environment): Surroundings {
  return {
    NODE_ENV,
    HOST: given['AUTH_HOST'] ?? given['HOST'] ?? '127.0.0.1',
    ISSUER: given['AUTH_ISSUER'] ?? given['ISSUER'],
  };
}

async function openEmbedded(
  config: PlatformConfig,
  given: Environment,
  progress: Progress,
): Promise<AuthServerStores> {
  const lock = lockDirectory(config.DATA_DIR);
  try {
    const secrets = await loadSecrets(config.DATA_DIR);
    const stores = await openStores({ config, environment: onlyAuthServer(given), secrets, progress });
    return {
      environment: {
        DATABASE_URL: stores.databaseUrls.AUTH,
        REDIS_URL: stores.redisUrl,
        KEY_ENCRYPTION_SECRET: secrets.keyEncryptionSecret,
        COOKIE_SECRET: secrets.cookieSecret,
        DEMO_DATA: 'true',
        ...given,
      },
      close: () => stores.close().finally(() => lock.release()),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A store that is given to the auth-server is enough: the services that are not run need none. */
function onlyAuthServer(given: Environment): Environment {
  return {
    ...given,
    DATABASE_URL: given['AUTH_DATABASE_URL'] ?? given['DATABASE_URL'],
    REDIS_URL: given['AUTH_REDIS_URL'] ?? given['REDIS_URL'],
  };
}
