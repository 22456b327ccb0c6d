import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

/** An empty database of its own. */
export interface TestDatabase {
  /** As a superuser. */
  readonly connectionString: string;
  /** Ends all sessions and deletes it. Safe to call twice. */
  drop(): Promise<void>;
}

/**
 * Makes an empty database on the PostgreSQL of this test run; about 20 ms. One a test file, made in `beforeAll`, keeps
 * files independent of one another.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('testPostgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name} TEMPLATE template0 STRATEGY wal_log`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    connectionString: url.href,
    drop: () => administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function administer(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString, application_name: 'trellis-testkit' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
