import { createLogger, createMetrics, type Deployable, type Metrics } from '@trellis/runtime';
import {
  generateServiceKey,
  publicServiceKey,
  USER_CONTEXT_HEADER,
  type UserContext,
} from '@trellis/subgraph-protocol';
import { createTestDatabase, createTestUserContext, freePort, startTestRedis } from '@trellis/testkit';
import { programs, type HostedProgram } from 'trellis/programs';

/** The services of the content graph, in the order in which they start. */
const names = ['users', 'posts', 'comments', 'search'] as const;

/** One of them. */
export type ServiceName = (typeof names)[number];

/** What a service answers. */
export interface GraphResponse<Data> {
  readonly data: Data;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
}

/** All four services in this process, on one PostgreSQL and one Redis, talking to one another as they do in production. */
export interface HostedServices {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Of the service as it was last started. */
  metricsOf(service: ServiceName): Promise<string>;
  ask<Data>(
    service: ServiceName,
    as: UserContext,
    query: string,
    variables?: Readonly<Record<string, unknown>>,
  ): Promise<GraphResponse<Data>>;
  start(service: ServiceName): Promise<void>;
  stop(service: ServiceName): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the services with their real programs and configuration.
 *
 * @param reach makes of the address of PostgreSQL the one that they are given
 */
export async function startHostedServices(
  reach: (connectionString: string) => Promise<string> = (connectionString) =>
    Promise.resolve(connectionString),
): Promise<HostedServices> {
  const [database, redis, keys] = await Promise.all([
    createTestDatabase(),
    startTestRedis(),
    createTestUserContext(),
  ]);
  const ports = await Promise.all(names.map(async (name) => [name, await freePort()] as const));
  const url = (name: ServiceName): string =>
    `http://127.0.0.1:${ports.find(([service]) => service === name)?.[1]}`;
  const serviceKeys = await Promise.all(names.map(generateServiceKey));
  const common = {
    NODE_ENV: 'test',
    DATABASE_URL: await reach(database.connectionString),
    REDIS_URL: redis.url,
    USER_CONTEXT_JWKS: JSON.stringify(keys.jwks),
    SERVICE_JWKS: JSON.stringify({ keys: serviceKeys.map(publicServiceKey) }),
    USERS_URL: url('users'),
    POSTS_URL: url('posts'),
    COMMENTS_URL: url('comments'),
  };
  const running = new Map<ServiceName, Deployable>();
  const metrics = new Map<ServiceName, Metrics>();
  const start = async (name: ServiceName): Promise<void> => {
    const key = serviceKeys.find(({ kid }) => kid === name);
    const environment = {
      ...common,
      PORT: new URL(url(name)).port,
      SERVICE_PRIVATE_KEY: JSON.stringify(key),
    };
    const resources = {
      logger: createLogger({ service: name, level: 'silent' }),
      metrics: createMetrics(name),
    };
    metrics.set(name, resources.metrics);
    running.set(name, await programOf(name).start(environment, resources));
  };
  const stop = async (name: ServiceName): Promise<void> => {
    await running.get(name)?.close();
    running.delete(name);
  };
  for (const name of names) await start(name);
  return {
    databaseUrl: database.connectionString,
    redisUrl: redis.url,
    metricsOf: (service) => metrics.get(service)?.metrics() ?? Promise.resolve(''),
    start,
    stop,
    ask: async (service, as, query, variables) => {
      const response = await fetch(`${url(service)}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [USER_CONTEXT_HEADER]: await keys.sign(service, as),
        },
        body: JSON.stringify({ query, variables }),
      });
      return (await response.json()) as GraphResponse<never>; // the caller knows what was asked for
    },
    close: async () => {
      for (const name of names.toReversed()) await stop(name);
      await redis.stop();
      await database.drop();
    },
  };
}

function programOf(name: ServiceName): HostedProgram {
  const program = programs.find(({ service }) => service === name);
  if (!program) throw new Error(`There is no deployable ${name}.`);
  return program;
}
