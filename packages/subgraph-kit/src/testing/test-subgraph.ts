import { createLogger, createMetrics, type Metrics } from '@trellis/runtime';
import { createPool, type Pool } from '@trellis/postgres';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createTestDatabase, createTestUserContext, type TestUserContext } from '@trellis/testkit';
import { createUserContextVerifier, USER_CONTEXT_HEADER, type UserContext } from '@trellis/subgraph-protocol';
import { createLocalJWKSet } from 'jose';
import type { SubgraphServer } from '../build-subgraph-server.ts';
import type { SubgraphDependencies } from '../create-subgraph-program.ts';
import { migrateSubgraph } from '../migrate-subgraph.ts';
import type { Peers } from '../peers.ts';
import { subscribe, type SubscriptionQuestion, type TestSubscription } from './subscribe.ts';

/** What makes the subgraph under test. */
export interface TestSubgraphOptions {
  /** Its name in the supergraph and its schema in the database. */
  readonly service: string;
  /** The folder of SQL migrations. */
  readonly migrations: URL;
  readonly buildServer: (dependencies: SubgraphDependencies) => Promise<SubgraphServer>;
  /** @default true */
  readonly development?: boolean;
  /** @default none: no one may call, and no one can be called */
  readonly peers?: Peers;
  /** Where its streams are. @default nowhere: nothing can be subscribed to */
  readonly redisUrl?: string;
  /** Called after each commit that appended an event. @default nothing happens: the events wait in the outbox */
  readonly wakeRelay?: () => void;
}

/** An operation as the gateway would send it. */
export interface Question {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Who asks. @default no one, with a signed context that says so */
  readonly as?: UserContext;
  readonly idempotencyKey?: string;
}

/** An error of a {@link GraphResponse}. */
export interface ResponseError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** What a subgraph sends back. */
export interface GraphResponse<Data> {
  readonly status: number;
  readonly data: Data;
  readonly errors: readonly ResponseError[];
}

/** A subgraph over an empty, migrated database of its own, asked without a socket. */
export interface TestSubgraph {
  readonly pool: Pool;
  readonly server: SubgraphServer;
  readonly keys: TestUserContext;
  readonly metrics: Metrics;
  /** Sends a signed request to `/graphql`. */
  ask<Data = Record<string, unknown>>(question: Question): Promise<GraphResponse<Data>>;
  /** Subscribes as the gateway would, over a socket. */
  subscribe<Data = Record<string, unknown>>(question: SubscriptionQuestion): Promise<TestSubscription<Data>>;
  /** The statements that the database was sent since this was last called. */
  takeStatements(): readonly string[];
  /** Ends the server and drops the database. */
  close(): Promise<void>;
}

const NO_PEERS: Peers = {
  verifier: { verify: () => Promise.reject(new Error('There are no peers in this test.')) },
  client: undefined,
};

const ANONYMOUS: UserContext = { scopes: ['read:data'] };

/** Starts a subgraph for a test file, on the PostgreSQL of the test run. */
export async function startTestSubgraph(options: TestSubgraphOptions): Promise<TestSubgraph> {
  const database = await createTestDatabase();
  const location = { connectionString: database.connectionString, schema: options.service };
  await migrateSubgraph({ ...location, directory: options.migrations });
  const pool = createPool(location);
  const statements = recordStatements(pool);
  await pool.query('SELECT'); // its first connection finds out whether sessions are shared: not of interest here
  statements.length = 0;
  const keys = await createTestUserContext();
  const redis = openRedis(options);
  const metrics = createMetrics(options.service);
  const server = await options.buildServer({
    pool,
    verifier: createUserContextVerifier({
      subgraph: options.service,
      keys: createLocalJWKSet({ keys: [...keys.jwks.keys] }),
    }),
    logger: createLogger({ service: options.service, level: 'silent' }),
    metrics,
    development: options.development ?? true,
    peers: options.peers ?? NO_PEERS,
    wakeRelay: options.wakeRelay ?? (() => {}),
    connectRedis: redis.connect,
  });
  return {
    pool,
    server,
    keys,
    metrics,
    ask: (question) => ask(server, keys, options.service, question),
    subscribe: (question) => subscribe({ service: options.service, server, metrics, keys }, question),
    takeStatements: () => statements.splice(0),
    close: async () => {
      await server.close();
      redis.disconnect();
      await pool.end();
      await database.drop();
    },
  };
}

interface RedisOfTest {
  readonly connect: (() => RedisConnection) | undefined;
  disconnect(): void;
}

function openRedis({ service, redisUrl }: TestSubgraphOptions): RedisOfTest {
  const connections: RedisConnection[] = [];
  const connect = (url: string) => (): RedisConnection => {
    const connection = connectRedis({ url, name: service, onError: () => {} });
    connections.push(connection);
    return connection;
  };
  return {
    connect: redisUrl === undefined ? undefined : connect(redisUrl),
    disconnect: () => {
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** Listens at each connection, so that statements in transactions are seen as well. */
function recordStatements(pool: Pool): string[] {
  const statements: string[] = [];
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...args: unknown[]) => unknown; // its overloads matter to callers alone
    const recorded = (...args: unknown[]): unknown => {
      statements.push(textOf(args[0]));
      return send(...args);
    };
    Object.assign(client, { query: recorded });
  });
  return statements;
}

function textOf(query: unknown): string {
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query);
}

async function ask<Data>(
  server: SubgraphServer,
  keys: TestUserContext,
  service: string,
  { query, variables, as, idempotencyKey }: Question,
): Promise<GraphResponse<Data>> {
  const response = await server.inject({
    method: 'POST',
    url: '/graphql',
    headers: {
      [USER_CONTEXT_HEADER]: await keys.sign(service, as ?? ANONYMOUS),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    payload: { query, variables },
  });
  const body = response.json<{ data: Data; errors?: readonly ResponseError[] }>();
  return { status: response.statusCode, data: body.data, errors: body.errors ?? [] };
}
