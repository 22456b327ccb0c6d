import type { Environment } from '@trellis/config';
import { lockDirectory } from '@trellis/supervision';
import { readPlatformConfig, type PlatformConfig } from './platform-config.ts';
import { readPlatformFile } from './platform-file.ts';
import { loadSecrets } from './secrets.ts';
import { withoutEmpty } from './service-environments.ts';
import { openStores } from './stores.ts';

/** The auth-server's environment, its stores within reach. */
export interface AuthServerStores {
  readonly environment: Environment;
  /** Ends what was started for it. */
  close(): Promise<void>;
}

/**
 * Completes the auth-server's environment when it is used alone: from the platform that runs on the same data
 * directory, else by starting the embedded stores where the environment names none. In production nothing is added.
 *
 * @throws ConfigError when a variable of the platform is wrong
 * @throws DirectoryInUse when the data directory is held by a platform that is still starting
 */
export async function openAuthServerStores(
  environment: Environment,
  tell: (line: string) => void,
): Promise<AuthServerStores> {
  const config = readPlatformConfig(environment);
  const given = withoutEmpty(environment);
  const running = readPlatformFile(config.DATA_DIR);
  if (running) {
    return { environment: { ...running.authServerEnvironment, ...given }, close: () => Promise.resolve() };
  }
  if (config.NODE_ENV === 'production') return { environment, close: () => Promise.resolve() };
  return openEmbedded(config, given, tell);
}

async function openEmbedded(
  config: PlatformConfig,
  given: Environment,
  tell: (line: string) => void,
): Promise<AuthServerStores> {
  const lock = lockDirectory(config.DATA_DIR);
  try {
    const secrets = await loadSecrets(config.DATA_DIR);
    const stores = await openStores({ config, environment: onlyAuthServer(given), secrets, tell });
    return {
      environment: {
        DATABASE_URL: stores.databaseUrls.AUTH,
        REDIS_URL: stores.redisUrl,
        KEY_ENCRYPTION_SECRET: secrets.keyEncryptionSecret,
        COOKIE_SECRET: secrets.cookieSecret,
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
