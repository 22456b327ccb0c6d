import { readConfig, type Environment } from '@trellis/config';
import type { Deployable, DeployableProgram, Logger, Metrics, Resources } from '@trellis/deployable';
import { createPool, migrate, type Pool } from '@trellis/postgres';
import { createUserContextVerifier, type UserContextVerifier } from '@trellis/user-context';
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { z } from 'zod';
import type { SubgraphServer } from './build-subgraph-server.ts';
import { observePool } from './subgraph-metrics.ts';
import { subgraphContradictions, type SubgraphConfig, type SubgraphShape } from './subgraph-variables.ts';

/** What the kit gives a subgraph's `buildServer`. */
export interface SubgraphDependencies {
  /** Its own database. */
  readonly pool: Pool;
  readonly verifier: UserContextVerifier;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly development: boolean;
}

/** What makes one subgraph different from the next. */
export interface SubgraphDefinition<Shape extends z.ZodRawShape> {
  /** Its name in the supergraph, its schema in the database and, in capitals, the prefix of its variables. */
  readonly service: string;
  /** {@link subgraphVariables} and what the subgraph adds. */
  readonly configSchema: z.ZodObject<Shape>;
  /** The folder of SQL migrations. */
  readonly migrations: URL;
  readonly buildServer: (dependencies: SubgraphDependencies) => Promise<SubgraphServer>;
  /** Fills an empty table with demo data. */
  readonly seed?: (pool: Pool) => Promise<void>;
}

/** A program that migrates its schema, opens a pool, builds the server and listens. */
export function createSubgraphProgram<Shape extends z.ZodRawShape>(
  definition: SubgraphDefinition<Shape>,
): DeployableProgram<SubgraphConfig> {
  return {
    service: definition.service,
    readConfig: (environment) => readSubgraphConfig(definition, environment),
    start: (config, resources) => start(definition, config, resources),
  };
}

function readSubgraphConfig<Shape extends z.ZodRawShape>(
  { service, configSchema }: SubgraphDefinition<Shape>,
  environment: Environment,
): SubgraphConfig {
  const schema = configSchema as z.ZodObject as z.ZodObject<SubgraphShape>; // it spreads subgraphVariables
  return readConfig(schema, environment, {
    subject: service,
    prefix: service.toUpperCase(),
    contradictions: subgraphContradictions,
  });
}

async function start<Shape extends z.ZodRawShape>(
  definition: SubgraphDefinition<Shape>,
  config: SubgraphConfig,
  resources: Resources,
): Promise<Deployable> {
  const pool = await openDatabase(definition, config, resources);
  const server = await buildOver(pool, definition, config, resources);
  try {
    const url = await server.listen({ port: config.PORT, host: config.HOST });
    return { url, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** The pool belongs to the server from here on, and ends with it. */
async function buildOver<Shape extends z.ZodRawShape>(
  pool: Pool,
  { service, buildServer }: SubgraphDefinition<Shape>,
  config: SubgraphConfig,
  { logger, metrics }: Resources,
): Promise<SubgraphServer> {
  const verifier = createUserContextVerifier({ subgraph: service, keys: keysOf(config) });
  const development = config.NODE_ENV !== 'production';
  const server = await buildServer({ pool, verifier, logger, metrics, development });
  server.addHook('onClose', () => pool.end());
  return server;
}

async function openDatabase<Shape extends z.ZodRawShape>(
  definition: SubgraphDefinition<Shape>,
  config: SubgraphConfig,
  { logger, metrics }: Resources,
): Promise<Pool> {
  const database = { connectionString: config.DATABASE_URL, schema: definition.service };
  const applied = await migrate({ ...database, directory: definition.migrations });
  if (applied.length > 0) logger.info({ migrations: applied }, 'brought the database up to date');
  const pool = createPool({
    ...database,
    max: config.DATABASE_POOL_SIZE,
    onIdleError: (error) => logger.warn({ err: error }, 'lost an idle connection to the database'),
  });
  observePool(pool, metrics);
  if (config.DEMO_DATA) await definition.seed?.(pool);
  return pool;
}

function keysOf(config: SubgraphConfig): JWTVerifyGetKey {
  if (config.USER_CONTEXT_JWKS)
    return createLocalJWKSet(JSON.parse(config.USER_CONTEXT_JWKS) as JSONWebKeySet); // checked with the configuration
  return createRemoteJWKSet(new URL(config.USER_CONTEXT_JWKS_URL ?? ''), {
    timeoutDuration: 3_000,
    cooldownDuration: 5_000,
  });
}
