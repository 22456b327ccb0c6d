import { defineStatements, execute } from '@trellis/postgres';
import pg from 'pg';
import { statements } from '../generated/statements.ts';
import type { Prefix } from '../programs.ts';
import { rolePassword, type PlatformSecrets } from './secrets.ts';

/** The services that own a schema, by the prefix of their variables. */
const schemas: readonly (readonly [prefix: Prefix, schema: string])[] = [
  ['AUTH', 'auth'],
  ['USERS', 'users'],
  ['POSTS', 'posts'],
  ['COMMENTS', 'comments'],
  ['SEARCH', 'search'],
];

const DATABASE = 'trellis';

const sql = defineStatements(statements, 'service-schemas', {
  findDatabase: 'SELECT FROM pg_database WHERE datname = $1',
  findRole: 'SELECT FROM pg_roles WHERE rolname = $1',
});

/**
 * Prepares the embedded PostgreSQL: one database, and for each service a schema and a role whose rights end at it.
 *
 * @param superuserUrl to the database `postgres`
 * @returns the connection string of each service
 */
export async function prepareSchemas(
  superuserUrl: string,
  secrets: PlatformSecrets,
): Promise<Readonly<Partial<Record<Prefix, string>>>> {
  await withClient(superuserUrl, createDatabase);
  const databaseUrl = withDatabase(superuserUrl);
  await withClient(databaseUrl, async (client) => {
    for (const [, schema] of schemas) await createSchema(client, schema, rolePassword(secrets, schema));
  });
  return Object.fromEntries(
    schemas.map(([prefix, schema]) => [prefix, asRole(databaseUrl, schema, secrets)]),
  );
}

async function createDatabase(client: pg.Client): Promise<void> {
  const found = await execute(client, sql.findDatabase, [DATABASE]);
  if (found === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
}

/** The password is set each time: it follows the secrets file. */
async function createSchema(client: pg.Client, schema: string, password: string): Promise<void> {
  const role = roleOf(schema);
  const found = await execute(client, sql.findRole, [role]);
  if (found === 0) await client.query(`CREATE ROLE ${role}`);
  await client.query(`ALTER ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION ${role}`);
}

function roleOf(schema: string): string {
  return `trellis_${schema}`;
}

async function withClient(
  connectionString: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function withDatabase(connectionString: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${DATABASE}`;
  return url.href;
}

function asRole(databaseUrl: string, schema: string, secrets: PlatformSecrets): string {
  const url = new URL(databaseUrl);
  url.username = roleOf(schema);
  url.password = rolePassword(secrets, schema);
  return url.href;
}
