import { fileURLToPath } from 'node:url';
import { ConfigError, type Environment } from '@trellis/config';
import { lockDirectory, type DirectoryLock } from '@trellis/supervision';
import { formatBanner } from './banner.ts';
import { checkConfiguration, problemsOf } from './check-configuration.ts';
import { hostInProcess } from './host-in-process.ts';
import { hostSplit } from './host-split.ts';
import type { Host } from './host.ts';
import { readPlatformConfig, type PlatformConfig } from './platform-config.ts';
import { removePlatformFile, writePlatformFile } from './platform-file.ts';
import { settlePorts } from './ports.ts';
import { loadSecrets, makeSecrets, type PlatformSecrets } from './secrets.ts';
import {
  addressOf,
  describeEnvironments,
  type EnvironmentsOptions,
  type Ports,
} from './service-environments.ts';
import { openStores, type Stores } from './stores.ts';

/** How to run the platform. */
export interface PlatformOptions {
  readonly environment: Environment;
  /** One process for each deployable. @default false: one for all */
  readonly split?: boolean;
  /** Where progress and the banner are told, a line each. */
  readonly tell: (line: string) => void;
}

/** The platform while it serves. */
export interface Platform {
  readonly gatewayUrl: string;
  /** Ends the deployables, then the stores. Safe to call twice. */
  close(): Promise<void>;
}

const SUPERGRAPH = fileURLToPath(new URL('../../../supergraph.graphql', import.meta.url));
const SPLIT_OPERATIONS_PORTS = 5;
/** Stands in for a store that is not open yet, while configurations are checked. */
const PENDING = { database: 'postgres://pending.invalid/pending', redis: 'redis://pending.invalid' };

/**
 * Starts the whole platform, on embedded stores where the environment names none.
 *
 * @throws ConfigError with all that is wrong with any configuration, before anything has started
 * @throws PortInUse, DirectoryInUse, and what a store or deployable that can't start throws
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const config = await readConfiguration(options.environment);
  const lock = lockDirectory(config.DATA_DIR);
  try {
    return await startLocked(config, options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Reads the platform's variables and, with stand-ins for stores and secrets, those of every deployable. */
async function readConfiguration(environment: Environment): Promise<PlatformConfig> {
  const own = problemsOf(() => readPlatformConfig(environment));
  const config = readPlatformConfig(own.length === 0 ? environment : {});
  const production = config.NODE_ENV === 'production' ? productionProblems(config, environment) : [];
  const environments = describeEnvironments(pendingOptions(config, environment, await makeSecrets()));
  const hosted = problemsOf(() => checkConfiguration(environments));
  const problems = [...own, ...production, ...hosted.filter((problem) => !isRepeated(problem, own))];
  if (problems.length > 0) throw new ConfigError('the platform', problems);
  return config;
}

function isRepeated(problem: string, own: readonly string[]): boolean {
  return own.some((known) => problem.endsWith(known));
}

function productionProblems(config: PlatformConfig, environment: Environment): readonly string[] {
  const hasRedis = config.REDIS_URL !== undefined || Boolean(environment['AUTH_REDIS_URL']);
  return hasRedis ? [] : ['REDIS_URL is required in production: the embedded Redis is for development.'];
}

function pendingOptions(
  config: PlatformConfig,
  environment: Environment,
  secrets: PlatformSecrets,
): EnvironmentsOptions {
  const { database } = PENDING;
  return {
    config,
    environment,
    secrets,
    stores: {
      databaseUrls: { AUTH: database, USERS: database, POSTS: database, COMMENTS: database },
      redisUrl: PENDING.redis,
    },
    ports: { AUTH: 1, USERS: 1, POSTS: 1, COMMENTS: 1, GATEWAY: 1 },
    supergraphFile: SUPERGRAPH,
  };
}

async function startLocked(
  config: PlatformConfig,
  options: PlatformOptions,
  lock: DirectoryLock,
): Promise<Platform> {
  const ports = await settlePorts(config);
  const secrets = await loadSecrets(config.DATA_DIR);
  const stores = await openStores({ config, environment: options.environment, secrets, tell: options.tell });
  try {
    return await startOnStores({ config, options, ports, secrets, stores, lock });
  } catch (error) {
    await stores.close();
    throw error;
  }
}

interface Prepared {
  readonly config: PlatformConfig;
  readonly options: PlatformOptions;
  readonly ports: Ports;
  readonly secrets: PlatformSecrets;
  readonly stores: Stores;
  readonly lock: DirectoryLock;
}

async function startOnStores({ config, options, ports, secrets, stores, lock }: Prepared): Promise<Platform> {
  const { environment, tell } = options;
  const environments = describeEnvironments({
    config,
    environment,
    secrets,
    stores,
    ports,
    supergraphFile: SUPERGRAPH,
  });
  tell('Migrating, filling in demo data and starting the services …');
  const host = options.split
    ? await hostSplit(config, environments, ports, tell)
    : await hostInProcess(config, environments);
  writePlatformFile(config.DATA_DIR, {
    gatewayUrl: `${addressOf('GATEWAY', ports)}/graphql`,
    issuer: addressOf('AUTH', ports),
    authServerEnvironment: pick(environments.AUTH, AUTH_VARIABLES),
  });
  tell(
    formatBanner({
      config,
      ports,
      operationsUrl: operationsUrl(config, options),
      stores: stores.descriptions,
    }),
  );
  await tellReadiness(host, ports, tell);
  return {
    gatewayUrl: `${addressOf('GATEWAY', ports)}/graphql`,
    close: closeOnce({ host, stores, lock, config }),
  };
}

/** What the auth-server's command line needs of a running platform. */
const AUTH_VARIABLES = [
  'NODE_ENV',
  'DATABASE_URL',
  'AUTH_DATABASE_URL',
  'REDIS_URL',
  'AUTH_REDIS_URL',
  'KEY_ENCRYPTION_SECRET',
  'COOKIE_SECRET',
  'ISSUER',
  'AUDIENCES',
];

function pick(environment: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(
    names.filter((name) => environment[name]).map((name) => [name, environment[name]]),
  );
}

function operationsUrl(config: PlatformConfig, { split }: PlatformOptions): string {
  const first = config.OPERATIONS_PORT;
  if (!split) return `http://127.0.0.1:${first}/metrics`;
  return `http://127.0.0.1:${first} to ${first + SPLIT_OPERATIONS_PORTS - 1}, /metrics each`;
}

async function tellReadiness(host: Host, ports: Ports, tell: (line: string) => void): Promise<void> {
  for (const service of host.unavailable)
    tell(`  ${service} does not serve yet; it is started again until it does.`);
  if (!(await answersQueries(ports))) throw new Error('The gateway does not answer. Its log says why.');
  tell('  ready');
}

async function answersQueries(ports: Ports): Promise<boolean> {
  const answer = await fetch(`${addressOf('GATEWAY', ports)}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
    signal: AbortSignal.timeout(10_000),
  });
  return answer.ok;
}

interface Open {
  readonly host: Host;
  readonly stores: Stores;
  readonly lock: DirectoryLock;
  readonly config: PlatformConfig;
}

function closeOnce(open: Open): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= closeAll(open));
}

async function closeAll({ host, stores, lock, config }: Open): Promise<void> {
  try {
    await host.close();
  } finally {
    await stores.close();
    removePlatformFile(config.DATA_DIR);
    lock.release();
  }
}
