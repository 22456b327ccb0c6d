import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTemporaryDirectory, createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { migrate, type LibraryMigrations } from './migrate.ts';
import { createPool, type Pool } from './pool.ts';
import { inTransaction } from './transaction.ts';

const CREATE = ['0001_create.sql', 'CREATE TABLE note (text text)'] as const;
const FILL = ['0002_fill.sql', "INSERT INTO note VALUES ('once')"] as const;
const CHANGE = ['0003_change.sql', 'ALTER TABLE note ADD COLUMN author text'] as const;

describe('Migrations', () => {
  const files = createTemporaryDirectory();
  let database: TestDatabase;
  let pool: Pool;
  let folders = 0;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool({ connectionString: database.connectionString, schema: 'notes' });
  });
  beforeEach(() => pool.query('DROP SCHEMA IF EXISTS notes CASCADE'));
  afterAll(async () => {
    await pool.end();
    await database.drop();
    files.remove();
  });

  function run(
    migrations: readonly (readonly [name: string, sql: string])[],
    lockTimeoutMs?: number,
    libraries?: readonly LibraryMigrations[],
  ) {
    folders += 1;
    const directory = join(files.path, String(folders));
    mkdirSync(directory);
    for (const [name, sql] of migrations) writeFileSync(join(directory, name), sql);
    return migrate({
      connectionString: database.connectionString,
      schema: 'notes',
      directory: pathToFileURL(`${directory}/`),
      ...(lockTimeoutMs !== undefined && { lockTimeoutMs }),
      ...(libraries && { libraries }),
    });
  }
  /** A library and a program whose files have the same names, as they do everywhere: 0001_create. */
  function runWithLibrary(own: readonly (readonly [name: string, sql: string])[]) {
    const library = join(files.path, `library-${(folders += 1)}`);
    mkdirSync(library);
    writeFileSync(
      join(library, '0001_create.sql'),
      "CREATE TABLE tag (text text); INSERT INTO tag VALUES ('once')",
    );
    return run(own, undefined, [{ name: 'tags', directory: pathToFileURL(`${library}/`) }]);
  }
  const notes = async () => (await pool.query('SELECT text FROM note')).rows;

  it('run once each in order, however many instances start together', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => run([CREATE, FILL])));
    expect(outcomes.flat()).toEqual(['0001_create', '0002_fill']);
    expect(await notes()).toEqual([{ text: 'once' }]);
  });

  it('run only where they have not run', async () => {
    await run([CREATE, FILL]);
    expect(await run([CREATE, FILL, CHANGE])).toEqual(['0003_change']);
    expect(await run([CREATE, FILL, CHANGE])).toEqual([]);
  });

  it("of a library run once each before the program's, under names of their own", async () => {
    const references = ['0002_refer.sql', 'INSERT INTO note SELECT text FROM tag'] as const;
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => runWithLibrary([CREATE, references])));
    expect(outcomes.flat()).toEqual(['tags/0001_create', '0001_create', '0002_refer']);
    expect(await notes()).toEqual([{ text: 'once' }]);
  });

  it('of a library run in a schema whose own migrations ran before it was used', async () => {
    await run([CREATE, FILL]);
    expect(await runWithLibrary([CREATE, FILL, CHANGE])).toEqual(['tags/0001_create', '0003_change']);
    expect(await run([CREATE, FILL, CHANGE])).toEqual([]); // the former version starts on the same database
  });

  it('that fail are undone, and those before them stay', async () => {
    const broken = ['0003_broken.sql', "INSERT INTO note VALUES ('half'); SELECT 1 / 0"] as const;
    await expect(run([CREATE, FILL, broken])).rejects.toThrow('division by zero');
    expect(await notes()).toEqual([{ text: 'once' }]);
    expect(await run([CREATE, FILL, CHANGE])).toEqual(['0003_change']);
  });

  it('F-23 that wait for a table in use let others pass, and get it when it is free', async () => {
    await run([CREATE, FILL]);
    let migrating: Promise<readonly string[]> | undefined;
    await inTransaction(pool, async (transaction) => {
      await transaction.query('SELECT * FROM note');
      migrating = run([CREATE, FILL, CHANGE], 100);
      await expect.poll(async () => (await pool.query(WAITING)).rowCount).toBe(1);
      expect(await notes()).toEqual([{ text: 'once' }]); // queues behind the migration, which gives up before the reader does
    });
    expect(await migrating).toEqual(['0003_change']);
  });

  it('fail where the address takes connections and no PostgreSQL responds', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const options = { schema: 'notes', directory: pathToFileURL(`${files.path}/`) };
    await expect(migrate({ ...options, connectionString: `postgres://127.0.0.1:${port}/x` })).rejects.toThrow(
      'timeout expired',
    );
  });
});

const WAITING = `
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'trellis-migrate' AND wait_event_type = 'Lock'`;
