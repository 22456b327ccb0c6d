import type { Environment } from '@trellis/config';
import { lockDirectory } from '@trellis/supervision';
import { readPlatformConfig } from './platform-config.ts';
import { readPlatformFile } from './platform-file.ts';
import { loadSecrets } from './secrets.ts';
import { openStores } from './stores.ts';

/** The auth-server's environment, its stores within reach. */
export interface AuthServerStores {
  readonly environment: Environment;
  close(): Promise<void>;
}

/**
 * Completes the auth-server's environment when it is used alone: from the platform that runs on the same data
 * directory, else by starting the embedded stores where the environment names none.
 *
 * @throws DirectoryInUse when the data directory is held by a platform that is still starting
 */
export async function openAuthServerStores(
  environment: Environment,
  tell: (line: string) => void,
): Promise<AuthServerStores> {
  const config = readPlatformConfig(environment);
  const running = readPlatformFile(config.DATA_DIR);
  if (running)
    return {
      environment: { ...running.authServerEnvironment, ...environment },
      close: () => Promise.resolve(),
    };
  if (config.NODE_ENV === 'production') return { environment, close: () => Promise.resolve() };
  const lock = lockDirectory(config.DATA_DIR);
  const secrets = await loadSecrets(config.DATA_DIR);
  const stores = await openStores({ config, environment, secrets, tell });
  return {
    environment: {
      DATABASE_URL: stores.databaseUrls.AUTH,
      REDIS_URL: stores.redisUrl,
      KEY_ENCRYPTION_SECRET: secrets.keyEncryptionSecret,
      COOKIE_SECRET: secrets.cookieSecret,
      ...environment,
    },
    close: async () => {
      await stores.close();
      lock.release();
    },
  };
}
