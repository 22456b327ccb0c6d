import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

/** A database of its own. */
export interface TestDatabase {
  /** As a superuser. */
  readonly connectionString: string;
  /** Ends all sessions and deletes it. Safe to call twice. */
  drop(): Promise<void>;
}

/**
 * Makes a database on the PostgreSQL of this test run; about 20 ms. One a test file, made in `beforeAll`, keeps files
 * independent of one another.
 *
 * @param template what {@link prepareTestTemplate} has prepared. An empty one by default
 */
export async function createTestDatabase(template = 'template0'): Promise<TestDatabase> {
  const server = inject('testPostgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, (client) => createDatabase(client, name, template));
  return {
    connectionString: addressOf(name),
    drop: () => administer(server, (client) => dropDatabase(client, name)),
  };
}

/**
 * Prepares a database that others are copied from, once in this test run, whichever of its processes asks for it first.
 *
 * @param name lower-case letters, digits and underscores
 * @param prepare fills an empty database, and has no connection to it left when it resolves
 */
export function prepareTestTemplate(
  name: string,
  prepare: (connectionString: string) => Promise<void>,
): Promise<void> {
  const unfinished = `${name}_unfinished`;
  return administer(inject('testPostgresUrl'), async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]); // until the connection ends
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return;
    await dropDatabase(client, unfinished);
    await createDatabase(client, unfinished, 'template0');
    await prepare(addressOf(unfinished));
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  });
}

function addressOf(name: string): string {
  const url = new URL(inject('testPostgresUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

async function createDatabase(client: Client, name: string, template: string): Promise<void> {
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY wal_log`);
}

async function dropDatabase(client: Client, name: string): Promise<void> {
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

async function administer(
  connectionString: string,
  statements: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString, application_name: 'trellis-testkit' });
  await client.connect();
  try {
    await statements(client);
  } finally {
    await client.end();
  }
}
