import { DirectoryInUse, lockDirectory } from '@trellis/dev-stores';
import { StartupError, type Environment } from '@trellis/runtime';
import {
  checkConfiguration,
  checkWithStandIns,
  missingOf,
  readAuthServerEnvironment,
  valueOf,
  type AuthServerEnvironment,
} from './auth-server-environment.ts';
import { describeExternalStores } from './external-stores.ts';
import {
  readPlatformFile,
  removePlatformFile,
  sharedAuthServerEnvironment,
  writePlatformFile,
  type PlatformFile,
} from './platform-file.ts';
import { loadSecrets, type PlatformSecrets } from './secrets.ts';
import type { Progress } from '../terminal/index.ts';
import { openStores, type Stores } from './stores.ts';

/** The auth-server's environment, its stores within reach. */
export interface AuthServerStores {
  readonly environment: Environment;
  /** Lets commands of the same data directory find the stores, while a server runs on them. @param url where it listens */
  announce(url: string): void;
  /** Ends what was started for it. */
  close(): Promise<void>;
}

/**
 * Completes the environment of an auth-server that serves alone, by starting the embedded stores where the environment names
 * none. Nothing is added where conveniences of development are rejected; where stores and secrets are given, no data directory is
 * looked at. Nothing is taken from another Trellis that runs: two servers of different issuers would share what is one server's.
 *
 * @throws ConfigError with all that is wrong with the configuration, before anything has started
 * @throws StartupError when another Trellis runs on the data directory
 * @throws StoreUnavailable with the external stores that do not answer
 */
export async function openServerStores(
  environment: Environment,
  progress: Progress,
): Promise<AuthServerStores> {
  const own = readAuthServerEnvironment(environment);
  if (!own.bringsConveniences) return checked(own, own.given);
  if (missingOf(own).length > 0) return openEmbedded(own, progress).catch(explainToServer(missingOf(own)));
  const stores = checked(own, { DEMO_DATA: 'true', ...own.given });
  await describeExternalStores(own.given, ['AUTH']);
  return stores;
}

/**
 * Completes the environment of a command: from the server that runs on the same data directory, unless other stores are given;
 * else as for a server.
 *
 * @throws ConfigError with all that is wrong with the configuration, before anything has started
 * @throws StartupError when a part of what is given leads to other stores than those of the running server
 * @throws DirectoryInUse when a server that is still starting holds the data directory
 */
export async function openCommandStores(
  environment: Environment,
  progress: Progress,
): Promise<AuthServerStores> {
  const own = readAuthServerEnvironment(environment);
  const running = readPlatformFile(own.dataDirectory);
  const missing = missingOf(own);
  if (running) {
    const merged = { ...running.authServerEnvironment, ...own.given };
    const other = storeVariables.filter(
      (name) => valueOf(merged, name) !== valueOf(running.authServerEnvironment, name),
    );
    if (other.length === 0) return checked(own, merged);
    if (missing.length > 0) throw otherStores(running, other, missing);
  }
  return missing.length > 0 && own.bringsConveniences ? openEmbedded(own, progress) : checked(own, own.given);
}

/** @param missing what would have to be given to run beside the other */
function explainToServer(missing: readonly string[]): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof DirectoryInUse)) throw error;
    throw new StartupError(
      `${error.message} Another Trellis runs on this data directory, and no auth-server serves with its stores and secrets: set DATA_DIR to another one, or give ${missing.join(', ')} too.`,
      { cause: error },
    );
  };
}

const storeVariables = ['DATABASE_URL', 'REDIS_URL'] as const;

function otherStores(
  { pid }: PlatformFile,
  other: readonly string[],
  missing: readonly string[],
): StartupError {
  return new StartupError(
    `${other.join(' and ')} is not what process ${pid} uses, which runs on this data directory. Unset it to reach that one; for another, set DATA_DIR, or ${missing.join(', ')} too.`,
  );
}

/** What needs nothing to be started. @throws ConfigError */
function checked(own: AuthServerEnvironment, environment: Environment): AuthServerStores {
  checkConfiguration(own, environment);
  return { environment, announce: () => undefined, close: () => Promise.resolve() };
}

async function openEmbedded(own: AuthServerEnvironment, progress: Progress): Promise<AuthServerStores> {
  checkWithStandIns(own);
  const { given, dataDirectory } = own;
  const lock = lockDirectory(dataDirectory);
  try {
    const secrets = await loadSecrets(dataDirectory);
    const stores = await openStores({
      config: { DATA_DIR: dataDirectory },
      environment: given,
      secrets,
      progress,
      wantedBy: ['AUTH'],
    });
    return onDirectory({
      environment: environmentOf(given, secrets, stores),
      dataDirectory,
      close: () => stores.close().finally(() => lock.release()),
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

function environmentOf(given: Environment, secrets: PlatformSecrets, stores: Stores): Environment {
  return {
    DATABASE_URL: stores.databaseUrls.AUTH,
    REDIS_URL: stores.redisUrl,
    KEY_ENCRYPTION_SECRET: secrets.keyEncryptionSecret,
    COOKIE_SECRET: secrets.cookieSecret,
    DEMO_DATA: 'true',
    ...given,
  };
}

interface HeldStores extends Pick<AuthServerStores, 'environment' | 'close'> {
  /** This process holds it until the stores are closed. */
  readonly dataDirectory: string;
}

function onDirectory({ environment, dataDirectory, close }: HeldStores): AuthServerStores {
  let isAnnounced = false;
  return {
    environment,
    announce(url) {
      const issuer = valueOf(environment, 'ISSUER') ?? `http://localhost:${new URL(url).port}`;
      writePlatformFile(dataDirectory, {
        issuer,
        services: { 'auth-server': url },
        authServerEnvironment: { ISSUER: issuer, ...sharedAuthServerEnvironment(environment) },
      });
      isAnnounced = true;
    },
    close() {
      if (isAnnounced) removePlatformFile(dataDirectory);
      return close();
    },
  };
}
