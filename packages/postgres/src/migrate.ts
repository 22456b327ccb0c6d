import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { queryChecked } from './statements.ts';

/** Migrations of a library whose tables stand in the schema of the program that uses it. */
export interface LibraryMigrations {
  /** Names the table in which its applied migrations are listed: `migration_<name>`. Lower-case letters, digits and `_`. */
  readonly name: string;
  /** The folder of its `NNNN_name.sql` files. */
  readonly directory: URL;
}

/** Settings of {@link migrate}. */
export interface MigrateOptions {
  readonly connectionString: string;
  /** Created when absent; the tables of applied migrations are stored in it. */
  readonly schema: string;
  /** The folder of the program's own `NNNN_name.sql` files, run once each in the order of their names. */
  readonly directory: URL;
  /** Run before the program's own, in this order. @default none */
  readonly libraries?: readonly LibraryMigrations[];
  /** Milliseconds for which a migration may wait for a table that is in use, and make others wait behind it. @default 2_000 */
  readonly lockTimeoutMs?: number;
}

/** Milliseconds to wait for a connection, as pools do. */
const CONNECT_MS = 3_000;
/** Milliseconds to wait for another instance that migrates. */
const PATIENCE_MS = 300_000;
const DEFAULT_LOCK_TIMEOUT_MS = 2_000;
/** Attempts to get a table that is in use, and the pause between them, in which those go on who waited behind. */
const [ATTEMPTS, PAUSE_MS] = [30, 1_000];

/** The program's own applied migrations. */
const OWN_TABLE = 'migration';

/** SQLSTATE lock_not_available: the lock was not to be had in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Brings a schema up to date while others use it. Instances that start together wait for one another on an advisory lock; each
 * migration runs once, in a transaction of its own. One that needs a table that someone uses gives up its place in the queue
 * after `lockTimeoutMs`, lets those pass who queue behind it, and tries again. Each library has a table of applied migrations
 * of its own, so that its file names can't clash with those of the program or of another library (ADR 0050).
 *
 * @returns the migrations that ran now: `0001_create_posts` of the program, `events/0001_create_outbox` of a library
 * @throws Error when there is no connection within 3 s, another instance migrates for longer than five minutes, or a table can't be had in thirty attempts
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const [client, lock] = [connection(options), connection(options)];
  try {
    await Promise.all([client.connect(), lock.connect()]);
    await lockOutOthers(lock, options.schema);
    await createSchemaIfAbsent(client, options.schema);
    return await runAll(client, options);
  } finally {
    await Promise.all([client.end(), lock.end()]);
  }
}

function connection({ connectionString }: MigrateOptions): pg.Client {
  return new pg.Client({
    connectionString,
    application_name: 'trellis-migrate',
    connectionTimeoutMillis: CONNECT_MS,
  });
}

/**
 * Held by a transaction that stays open, on a connection of its own: behind a pooler in transaction mode, a lock of the session
 * would be that of the client that is lent the session next.
 */
async function lockOutOthers(client: pg.Client, schema: string): Promise<void> {
  await client.query(
    `BEGIN; SET LOCAL lock_timeout = ${PATIENCE_MS}; SET LOCAL idle_in_transaction_session_timeout = 0`,
  );
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`trellis-migrate:${schema}`]);
}

/** The files of one owner, and where the applied ones are listed. */
interface MigrationSet {
  readonly schema: string;
  readonly directory: URL;
  readonly table: string;
  readonly lockTimeoutMs: number;
  /** Stands before its names in the result of {@link migrate}. */
  readonly prefix: string;
}

async function runAll(client: pg.Client, options: MigrateOptions): Promise<readonly string[]> {
  const applied: string[] = [];
  for (const set of migrationSets(options)) {
    const names = await runPatiently(client, set);
    applied.push(...names.map((name) => set.prefix + name));
  }
  return applied;
}

function migrationSets(options: MigrateOptions): readonly MigrationSet[] {
  const { schema, directory, libraries = [], lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = options;
  const own = { schema, lockTimeoutMs, directory, table: OWN_TABLE, prefix: '' };
  return [...libraries.map((set) => librarySet(own, set)), own];
}

function librarySet(own: MigrationSet, { name, directory }: LibraryMigrations): MigrationSet {
  return { ...own, directory, table: `${OWN_TABLE}_${name}`, prefix: `${name}/` };
}

/** What has run before an attempt that fails stays. */
async function runPatiently(client: pg.Client, set: MigrationSet): Promise<readonly string[]> {
  const before = await appliedMigrations(client, set);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runPending(client, set);
      const after = await appliedMigrations(client, set);
      return after.filter((name) => !before.includes(name));
    } catch (error) {
      if (attempt === ATTEMPTS || !isLockTimeout(error)) throw error;
      await client.query('ROLLBACK'); // of the migration that failed; the runner leaves it open
      await delay(PAUSE_MS);
    }
  }
}

/** One by one: each lets go of its tables before the next begins. */
async function runPending(client: pg.Client, set: MigrationSet): Promise<void> {
  while (await runNext(client, set));
}

/** Runs in a transaction that has the schema and the time limit, so that neither is left behind in the session. */
async function runNext(client: pg.Client, set: MigrationSet): Promise<boolean> {
  const { directory, schema, table, lockTimeoutMs } = set;
  await client.query(
    `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL search_path = ${pg.escapeIdentifier(schema)}`,
  );
  const applied = await runner({
    dbClient: client,
    dir: fileURLToPath(directory),
    direction: 'up',
    count: 1,
    migrationsSchema: schema,
    migrationsTable: table,
    singleTransaction: true, // begins within ours, which changes nothing, and commits it
    noLock: true,
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  if (applied.length === 0) await client.query('COMMIT'); // the empty table of migrations
  return applied.length > 0;
}

async function appliedMigrations(
  client: pg.Client,
  { schema, table }: MigrationSet,
): Promise<readonly string[]> {
  const qualified = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;
  const look = 'SELECT to_regclass($1) IS NOT NULL AS known';
  const [found] = await queryChecked(client, { known: 'bool' }, look, [qualified]);
  if (!found?.known) return [];
  const list = `SELECT name FROM ${qualified} ORDER BY id`;
  return (await queryChecked(client, { name: 'varchar' }, list)).map(({ name }) => name);
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;
}

/** Looks first: a role that owns its schema, and may create none, is rejected even `IF NOT EXISTS`. */
async function createSchemaIfAbsent(client: pg.Client, schema: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}`);
}

function ignore(): void {
  // Failures reach the caller as exceptions; progress is the caller's to log.
}
