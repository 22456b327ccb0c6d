import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { appendEvent, createOutboxLog } from '@trellis/events';
import { createPool, inTransaction, migrate, type Pool } from '@trellis/postgres';
import { createMutations, migrateSubgraph } from '@trellis/subgraph-kit';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import type { GraphQLResolveInfo } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SUBJECT = '01941f29-7c00-7a00-8000-000000000001';

/** The migrations of each service as they were when each held a copy of the packages' tables. */
const copies = new URL('../fixtures/copied-tables/', import.meta.url);

/** Rows as that version wrote them: two events that were published, one that was not yet, a cursor, a mutation's result. */
const WRITTEN = {
  outbox: `
    INSERT INTO outbox (id, type, subject, payload, seq) VALUES
      ('01941f29-7c00-7a00-8000-00000000000a', 'note.saved', '${SUBJECT}', '1', 1),
      ('01941f29-7c00-7a00-8000-00000000000b', 'note.saved', '${SUBJECT}', '2', 2),
      ('01941f29-7c00-7a00-8000-00000000000c', 'note.saved', '${SUBJECT}', '3', NULL);
    UPDATE outbox_head SET seq = 2`,
  event_cursor: `
    INSERT INTO event_cursor VALUES ('notes', 41);
    INSERT INTO dead_letter (source, seq, event, error) VALUES ('notes', 40, '{"type":"note.saved"}', 'Error: no')`,
  idempotent_answer: `
    INSERT INTO idempotent_answer (user_id, key, path, fingerprint, answer) VALUES
      ('${SUBJECT}', 'again', 'createNote', sha256('["createNote",{"text":"a"}]'), '"the first result"')`,
} as const;

const EVENTS = ['events/0001_create_outbox', 'events/0002_create_consumer_tables'];
const ALL_TABLES = ['outbox', 'event_cursor', 'idempotent_answer'] as const;

function namesIn(directory: URL): readonly string[] {
  return readdirSync(directory)
    .map((file) => basename(file, '.sql'))
    .toSorted();
}

describe.each([
  ['users', ['outbox', 'idempotent_answer']],
  ['posts', ['outbox', 'idempotent_answer']],
  ['comments', ALL_TABLES],
  ['search', ['event_cursor']],
] as const)('F-23 A database of %s from when services copied the tables of packages', (service, tables) => {
  let databases: readonly TestDatabase[];
  let former: Pool;
  let fresh: Pool;
  let migrated: readonly string[];
  const directory = new URL(`../../services/${service}/migrations/`, import.meta.url);

  beforeAll(async () => {
    databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const [before, empty] = databases.map(({ connectionString }) => ({ connectionString, schema: service }));
    if (!before || !empty) throw new Error('There are two databases.');
    [former, fresh] = [createPool(before), createPool(empty)];
    await migrate({ ...before, directory: new URL(`${service}/`, copies) });
    for (const table of ALL_TABLES) if (isAmong(table, tables)) await former.query(WRITTEN[table]);
    migrated = await migrateSubgraph({ ...before, directory });
    await migrateSubgraph({ ...empty, directory });
  });
  afterAll(async () => {
    await Promise.all([former.end(), fresh.end()]);
    await Promise.all(databases.map((database) => database.drop()));
  });

  it('is adopted: only the migrations of the packages and those that are newer run, and once', async () => {
    const known = namesIn(new URL(`${service}/`, copies));
    const newer = namesIn(directory).filter((name) => !known.includes(name));
    expect(migrated).toEqual([...EVENTS, 'subgraph_kit/0001_create_idempotency_table', ...newer]);
    const { connectionString } = databases[0] ?? { connectionString: '' };
    expect(await migrateSubgraph({ connectionString, schema: service, directory })).toEqual([]);
  });

  it('has the columns, indexes and sequences of a new database', async () => {
    const described = await describeSchema(fresh);
    expect(described.length).toBeGreaterThan(30);
    expect(await describeSchema(former)).toEqual(described);
  });

  it('still serves its former version', async () => {
    const { connectionString } = databases[0] ?? { connectionString: '' };
    const formerDirectory = new URL(`${service}/`, copies);
    expect(await migrate({ connectionString, schema: service, directory: formerDirectory })).toEqual([]);
  });

  it('goes on numbering its events where it stopped', async () => {
    const log = createOutboxLog(former);
    await inTransaction(former, (transaction) =>
      appendEvent(transaction, { type: 'note.saved', subject: SUBJECT, payload: 4 }),
    );
    await log.sequence(10);
    const events = (await log.readAfter(0, 10)).map(({ seq, payload }) => [seq, payload]);
    expect(events).toEqual(isAmong('outbox', tables) ? [1, 2, 3, 4].map((n) => [n, n]) : [[1, 4]]);
  });

  it('keeps its cursors and dead letters', async () => {
    const had = isAmong('event_cursor', tables);
    const { rows: cursors } = await former.query('SELECT * FROM event_cursor');
    const { rows: letters } = await former.query('SELECT seq, error FROM dead_letter');
    expect(cursors).toEqual(had ? [{ source: 'notes', seq: '41' }] : []);
    expect(letters).toEqual(had ? [{ seq: '40', error: 'Error: no' }] : []);
  });

  it('repeats the result of a mutation it has done', async () => {
    const path = { prev: undefined, key: 'createNote', typename: 'Mutation' };
    const info = { fieldName: 'createNote', path } as unknown as GraphQLResolveInfo; // all that a mutation reads of it
    const mutations = createMutations({ pool: former, idempotencyKey: 'again', onCommit: () => {} });
    const call = { userId: SUBJECT, args: { text: 'a' }, info, revive: String };
    const result = await mutations.run(call, () => Promise.resolve('a new result'));
    expect(result).toBe(isAmong('idempotent_answer', tables) ? 'the first result' : 'a new result');
  });
});

it('F-23 A table of another kind by the name of one of the packages stops the migration', async () => {
  const database = await createTestDatabase();
  const place = { connectionString: database.connectionString, schema: 'notes' };
  const pool = createPool(place);
  await pool.query('CREATE SCHEMA notes; CREATE TABLE notes.event_cursor (source text, place text)');
  const directory = new URL('search/', copies);
  await expect(migrateSubgraph({ ...place, directory })).rejects.toThrow('column "seq" does not exist');
  await pool.end();
  await database.drop();
});

function isAmong<Name extends string>(name: string, names: readonly Name[]): name is Name {
  return names.some((one) => one === name);
}

const DESCRIBE = `
  SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '')
  AS line FROM information_schema.columns WHERE table_schema = current_schema()
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
  UNION ALL SELECT 'sequence ' || sequencename FROM pg_sequences WHERE schemaname = current_schema()
  ORDER BY line`;

async function describeSchema(pool: Pool): Promise<readonly unknown[]> {
  return (await pool.query(DESCRIBE)).rows.map(({ line }) => line);
}
