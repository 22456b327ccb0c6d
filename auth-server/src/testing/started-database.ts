import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, createMetrics } from '@trellis/runtime';
import {
  createTemporaryDirectory,
  createTestDatabase,
  prepareTestTemplate,
  startTestRedis,
  type TestDatabase,
} from '@trellis/testkit';
import { inject } from 'vitest';
import { authServer } from '../app/auth-server.ts';

/** What a database depends on that an auth-server has started with: such a server begins with one that no one has. */
const DECIDES: readonly string[] = ['DATABASE_URL', 'DEMO_DATA', 'KEY_ENCRYPTION_SECRET'];
const TEMPLATE = 'started_auth_server';

/**
 * Makes a database for a test server. Unless the test says otherwise it is as after a first start: tables, demo accounts and signing
 * keys are made once in a test run. They take longer than most tests.
 *
 * @param overrides what the test sets of the server's environment
 */
export async function createStartedDatabase(
  overrides: Readonly<Record<string, string>>,
): Promise<TestDatabase> {
  if (DECIDES.some((name) => name in overrides)) return createTestDatabase();
  await prepareTestTemplate(TEMPLATE, startOnce);
  return createTestDatabase(TEMPLATE);
}

/** Encrypts the keys in each of these databases. The same in all processes of a test run. */
export function commonKeySecret(): string {
  return createHash('sha256').update(inject('testPostgresUrl')).digest('base64url');
}

/** Without clients: each test has its own. */
async function startOnce(connectionString: string): Promise<void> {
  const redis = await startTestRedis();
  const directory = createTemporaryDirectory();
  const clientsFile = join(directory.path, 'clients.json');
  writeFileSync(clientsFile, '[]');
  const config = authServer.readConfig({
    PORT: '0',
    ISSUER: 'http://127.0.0.1:1',
    AUDIENCES: 'https://api.example/graphql',
    DATABASE_URL: connectionString,
    REDIS_URL: redis.url,
    CLIENTS_FILE: clientsFile,
    KEY_ENCRYPTION_SECRET: commonKeySecret(),
    COOKIE_SECRET: commonKeySecret(),
    DEMO_DATA: 'true',
  });
  const logger = createLogger({ service: 'auth-server', destination: { write: () => undefined } });
  const running = await authServer.start(config, { logger, metrics: createMetrics('auth-server') });
  await running.close();
  await redis.stop();
  directory.remove();
}
