import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, createMetrics, type Metrics } from '@trellis/runtime';
import { createTemporaryDirectory, freePort, startTestRedis, type TestRedis } from '@trellis/testkit';
import { authServer } from '../app/auth-server.ts';
import { commonKeySecret, createStartedDatabase } from './started-database.ts';
import { createAssertionKey, testClients, type AssertionKey } from './test-clients.ts';

/** An auth-server on a real port, with a database and a Redis of its own. */
export interface TestAuthServer {
  readonly issuer: string;
  /** Where it listens. */
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly redis: TestRedis;
  readonly assertionKey: AssertionKey;
  /** What was logged so far, a JSON object a line. */
  readonly log: readonly string[];
  readonly metrics: Metrics;
  stop(): Promise<void>;
}

/** Starts one. @param overrides variables of its environment */
export async function startTestAuthServer(overrides: Record<string, string> = {}): Promise<TestAuthServer> {
  const [database, redis, port, assertionKey] = await Promise.all([
    createStartedDatabase(overrides),
    startTestRedis(),
    freePort(),
    createAssertionKey(),
  ]);
  const directory = createTemporaryDirectory();
  const clientsFile = join(directory.path, 'clients.json');
  writeFileSync(clientsFile, JSON.stringify(testClients(assertionKey.publicJwk)));
  const scheme = overrides['TLS_CERT_FILE'] === undefined ? 'http' : 'https';
  const issuer = `${scheme}://127.0.0.1:${port}`;
  const environment = {
    PORT: String(port),
    ISSUER: issuer,
    AUDIENCES: 'https://api.example/graphql https://second.example/api',
    DATABASE_URL: database.connectionString,
    REDIS_URL: redis.url,
    CLIENTS_FILE: clientsFile,
    KEY_ENCRYPTION_SECRET: commonKeySecret(),
    COOKIE_SECRET: randomBytes(32).toString('base64url'),
    DEMO_DATA: 'true',
    REQUESTS_PER_ADDRESS: '1000000', // a test does from one address what users do from thousands
    ...overrides,
  };
  const log: string[] = [];
  const logger = createLogger({
    service: 'auth-server',
    ...(overrides['LOG_LEVEL'] !== undefined && { level: overrides['LOG_LEVEL'] }),
    destination: { write: (line: string) => void log.push(line) },
  });
  const metrics = createMetrics('auth-server');
  const running = await authServer.start(authServer.readConfig(environment), {
    logger,
    metrics,
  });
  return {
    issuer: overrides['ISSUER'] ?? issuer,
    url: running.url,
    environment,
    redis,
    assertionKey,
    log,
    metrics,
    stop: async () => {
      await running.close();
      await redis.stop();
      await database.drop();
      directory.remove();
    },
  };
}
