import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';

/** Settings of {@link migrate}. */
export interface MigrateOptions {
  readonly connectionString: string;
  /** Created when absent; the table of what has run is kept in it. */
  readonly schema: string;
  /** The folder of `NNNN_name.sql` files, run once each in the order of their names. */
  readonly directory: URL;
}

/**
 * Brings a schema up to date. Instances that start together wait for one another on an advisory lock; each migration
 * runs once.
 *
 * @returns the names of the migrations that ran now
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const client = new pg.Client({
    connectionString: options.connectionString,
    application_name: 'trellis-migrate',
  });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [
      `trellis-migrate:${options.schema}`,
    ]);
    await createSchemaIfAbsent(client, options.schema);
    const applied = await runner({
      dbClient: client,
      dir: fileURLToPath(options.directory),
      direction: 'up',
      schema: options.schema,
      migrationsTable: 'migration',
      noLock: true,
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    });
    return applied.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Looks first: a role that owns its schema, and may create none, is refused even `IF NOT EXISTS`. */
async function createSchemaIfAbsent(client: pg.Client, schema: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}`);
}

function ignore(): void {
  // Failures reach the caller as exceptions; progress is the caller's to tell.
}
