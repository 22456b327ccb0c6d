import {
  type Deployable,
  type DeployableProgram,
  type Environment,
  type Forms,
  isProduction,
  type Logger,
  type Metrics,
  readConfig,
  type Resources,
  type VariableTable,
} from '@trellis/runtime';
import { createRelayWakeUp, type Background, type RelayWakeUp } from '@trellis/events';
import { createPool, warnOfLostConnections, type Pool, type PoolOptions } from '@trellis/postgres';
import { connectRedis, problemOfRedisUrl, type RedisConnection } from '@trellis/redis';
import {
  createUserContextVerifier,
  type DeveloperKeys,
  type UserContextVerifier,
} from '@trellis/subgraph-protocol';
import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import type { SubgraphServer } from './build-subgraph-server.ts';
import { migrateSubgraph } from './migrate-subgraph.ts';
import { createPeers, type Peers } from './peers.ts';
import { openStaleReads, type OpenStaleReads } from './stale-reads.ts';
import { observePool } from './subgraph-metrics.ts';
import { brokenSubgraphRules, type SubgraphConfig, type SubgraphVariables } from './subgraph-variables.ts';

/** What the kit gives a subgraph's `buildServer`. */
export interface SubgraphDependencies {
  /** Its own database. */
  readonly pool: Pool;
  /** Reads that may be a little old go there; undefined without DATABASE_REPLICA_URL. */
  readonly staleReads?: OpenStaleReads | undefined;
  readonly verifier: UserContextVerifier;
  readonly peers: Peers;
  /** Opens a connection that is closed with the subgraph; undefined without REDIS_URL. */
  readonly connectRedis: (() => RedisConnection) | undefined;
  /** To be called after each commit that has published something. */
  readonly wakeRelay: () => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly development: boolean;
  /** Of those who may read the schema in production; undefined without SCHEMA_SECRET. */
  readonly introspectionSecrets?: readonly string[] | undefined;
}

/** What the kit gives a subgraph's `startBackground`. */
export interface BackgroundDependencies<Config> {
  readonly config: Config;
  /** Connections to the subgraph's database that requests don't wait for. */
  readonly pool: Pool;
  /** Opens a connection that is closed with the subgraph; undefined without REDIS_URL. */
  readonly connectRedis: (() => RedisConnection) | undefined;
  /** The same for the Redis in which gateways cache responses; undefined without RESPONSE_CACHE_REDIS_URL. */
  readonly connectResponseCache: (() => RedisConnection) | undefined;
  readonly peers: Peers;
  /** Sleeps until something has been published; is woken after commits that no request made. */
  readonly relayWakeUp: RelayWakeUp;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What makes one subgraph different from the next. */
export interface SubgraphDefinition<Config extends SubgraphConfig> {
  /** Its name in the supergraph, its schema in the database and, in capitals, the prefix of its variables. */
  readonly service: string;
  /** `subgraphVariables` and what the subgraph adds. */
  readonly variables: SubgraphVariables & VariableTable;
  /** Forms of texts that the subgraph's own variables name. */
  readonly forms?: Forms;
  /** The folder of its SQL migrations, for its own tables only: the kit brings those of events and idempotent mutations. */
  readonly migrations: URL;
  readonly buildServer: (dependencies: SubgraphDependencies, config: Config) => Promise<SubgraphServer>;
  /** Starts what runs beside the requests: relay, consumers, periodic tasks. */
  readonly startBackground?: (dependencies: BackgroundDependencies<Config>) => readonly Background[];
}

/** A subgraph as a program. */
export interface SubgraphProgram<Config extends SubgraphConfig> extends DeployableProgram<Config> {
  /** Migrates its schema and works on its tables, before it is started. */
  readonly prepare: (
    config: Config,
    resources: Pick<Resources, 'logger'>,
    work: (pool: Pool) => Promise<void>,
  ) => Promise<void>;
}

/** Connections for the background: one for each leadership, and some for the work. */
const BACKGROUND_POOL_SIZE = 8;

/** A program that migrates its schema, opens a pool, builds the server and listens. */
export function createSubgraphProgram<Config extends SubgraphConfig>(
  definition: SubgraphDefinition<Config>,
): SubgraphProgram<Config> {
  return {
    service: definition.service,
    readConfig: (environment) => readSubgraphConfig(definition, environment),
    start: (config, resources) => start(definition, config, resources),
    prepare: (config, resources, work) => prepare(definition, config, resources, work),
  };
}

function readSubgraphConfig<Config extends SubgraphConfig>(
  { service, variables, forms }: SubgraphDefinition<Config>,
  environment: Environment,
): Config {
  return readConfig<SubgraphVariables>(variables, environment, {
    subject: service,
    prefix: service.toUpperCase(),
    forms: { ...forms, redisUrl: problemOfRedisUrl },
    brokenRules: brokenSubgraphRules,
  }) as Config; // the values of the definition's table
}

async function prepare<Config extends SubgraphConfig>(
  definition: SubgraphDefinition<Config>,
  config: Config,
  resources: Pick<Resources, 'logger'>,
  work: (pool: Pool) => Promise<void>,
): Promise<void> {
  await migrateDatabase(definition, config, resources);
  const pool = openPool(definition.service, config, resources, { max: 1 });
  try {
    await work(pool);
  } finally {
    await pool.end();
  }
}

/** Whatever has been opened when something fails is closed again. */
async function start<Config extends SubgraphConfig>(
  definition: SubgraphDefinition<Config>,
  config: Config,
  resources: Resources,
): Promise<Deployable> {
  const closing: (() => Promise<unknown>)[] = [];
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= closeAll(closing));
  try {
    const url = await open(definition, config, resources, closing);
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The last opened is closed first. */
async function closeAll(closing: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const step of closing.toReversed()) await step();
}

async function open<Config extends SubgraphConfig>(
  definition: SubgraphDefinition<Config>,
  config: Config,
  resources: Resources,
  closing: (() => Promise<unknown>)[],
): Promise<string> {
  const { service } = definition;
  await migrateDatabase(definition, config, resources);
  const pool = openPool(service, config, resources, { max: config.DATABASE_POOL_SIZE });
  closing.push(() => pool.end());
  observePool(pool, resources.metrics);

  const peers = await createPeers(service, config);
  const relayWakeUp = createRelayWakeUp({ service, pool, logger: resources.logger });
  closing.push(relayWakeUp.close);
  const verifier = createUserContextVerifier({
    subgraph: service,
    keys: keysOf(config),
    developers: developersOf(config),
  });
  const development = !isProduction(config);
  const connectorTo = (address: string | undefined): (() => RedisConnection) | undefined =>
    redisConnector(service, address, resources, closing);
  const connectRedis = connectorTo(config.REDIS_URL);
  const connectResponseCache = connectorTo(config.RESPONSE_CACHE_REDIS_URL);
  const staleReads = openReplica(service, config, resources, { pool, connectRedis }, closing);
  const server = await definition.buildServer(
    {
      ...resources,
      pool,
      staleReads,
      verifier,
      peers,
      connectRedis,
      development,
      introspectionSecrets: config.SCHEMA_SECRET,
      wakeRelay: relayWakeUp.poke,
    },
    config,
  );
  closing.push(() => server.close());
  const url = await server.listen({ port: config.PORT, host: config.HOST });
  const shared = { peers, relayWakeUp, connectRedis, connectResponseCache };
  startBackground(definition, config, resources, shared, closing);
  return url;
}

/** It ends before the server does: what it still has to publish waits in the database. */
function startBackground<Config extends SubgraphConfig>(
  { service, startBackground: startAll }: SubgraphDefinition<Config>,
  config: Config,
  resources: Resources,
  shared: Omit<BackgroundDependencies<Config>, keyof Resources | 'config' | 'pool'>,
  closing: (() => Promise<unknown>)[],
): void {
  if (!startAll) return;
  const background = { max: BACKGROUND_POOL_SIZE, applicationName: `trellis-${service}-background` };
  const pool = openPool(service, config, resources, background);
  closing.push(() => pool.end());
  const running = startAll({ ...resources, ...shared, config, pool });
  closing.push(() => Promise.all(running.map((background) => background.close())));
}

function openReplica(
  service: string,
  config: SubgraphConfig,
  resources: Resources,
  { pool, connectRedis }: Pick<SubgraphDependencies, 'pool' | 'connectRedis'>,
  closing: (() => Promise<unknown>)[],
): OpenStaleReads | undefined {
  const {
    DATABASE_REPLICA_URL: connectionString,
    DATABASE_REPLICA_MAX_LAG_MS: maxLagMs,
    DATABASE_POOL_SIZE: max,
  } = config;
  if (connectionString === undefined || !connectRedis) return undefined;
  const reads = openStaleReads({
    ...resources,
    service,
    pool,
    connectionString,
    max,
    maxLagMs,
    connectRedis,
  });
  closing.push(reads.close);
  return reads;
}

/** Connections that are opened later, too, outlive the server and its background. */
function redisConnector(
  service: string,
  url: string | undefined,
  { logger }: Resources,
  closing: (() => Promise<unknown>)[],
): (() => RedisConnection) | undefined {
  if (!url) return undefined;
  const connections: RedisConnection[] = [];
  closing.push(async () => {
    for (const connection of connections) connection.disconnect();
  });
  return () => {
    const onError = (error: Error): void => logger.warn({ reason: error.message }, 'Redis is unavailable');
    const connection = connectRedis({ url, name: `trellis-${service}`, onError });
    connections.push(connection);
    return connection;
  };
}

async function migrateDatabase<Config extends SubgraphConfig>(
  { service, migrations }: SubgraphDefinition<Config>,
  { DATABASE_URL: connectionString }: Config,
  { logger }: Pick<Resources, 'logger'>,
): Promise<void> {
  const applied = await migrateSubgraph({ connectionString, schema: service, directory: migrations });
  if (applied.length > 0) logger.info({ migrations: applied }, 'database migrated');
}

function openPool(
  service: string,
  config: SubgraphConfig,
  { logger }: Pick<Resources, 'logger'>,
  options: Pick<PoolOptions, 'max' | 'applicationName'>,
): Pool {
  return createPool({
    connectionString: config.DATABASE_URL,
    schema: service,
    ...options,
    onIdleError: warnOfLostConnections(logger),
  });
}

function developersOf({
  USER_CONTEXT_DEVELOPER_JWKS: keys,
  USER_CONTEXT_DEVELOPER_SCOPES: scopes,
}: SubgraphConfig): DeveloperKeys | undefined {
  return keys && { keys: createLocalJWKSet(keys), scopes };
}

function keysOf(config: SubgraphConfig): JWTVerifyGetKey {
  if (config.USER_CONTEXT_JWKS) return createLocalJWKSet(config.USER_CONTEXT_JWKS);
  return createRemoteJWKSet(new URL(config.USER_CONTEXT_JWKS_URL ?? ''), {
    timeoutDuration: 3_000,
    cooldownDuration: 5_000,
  });
}
