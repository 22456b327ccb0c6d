import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { createPool, type Pool } from './pool.ts';
import { findRowMismatch, isListedType, type RowOf, type SqlJson, type SqlType } from './sql-types.ts';
import { queryChecked } from './statements.ts';

/** A value of each type, and another one that no other check would take for it. */
const values: Readonly<Record<SqlType, string>> = {
  bool: 'true',
  bytea: String.raw`'\x00ff'`,
  float8: '1.5',
  int2: '-2',
  int4: '2147483647',
  int8: '9007199254740993',
  json: `'{"a": [1, null]}'`,
  jsonb: `'{"a": [1, null]}'`,
  name: "'a name'",
  text: "'a text'",
  timestamptz: "'2026-01-02 03:04:05.678+00'",
  uuid: "'0190a1b2-0000-7000-8000-000000000001'",
  varchar: "'a varchar'",
  void: "''",
};

const lists = (Object.entries(values) as [Exclude<SqlType, 'name' | 'void'>, string][]).filter(([type]) =>
  isListedType(`${type}[]`),
);

describe('Types of values', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool({ connectionString: database.connectionString, schema: 'public' });
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it.each(Object.entries(values) as [SqlType, string][])('%s is what pg returns', async (type, value) => {
    const text = `SELECT ${value}::${type} AS one, ${type === 'void' ? "''" : 'NULL'}::${type} AS none`;
    const [found] = await queryChecked(pool, { one: type, none: `${type}?` }, text);
    expect(found).toBeDefined();
  });

  it.each(lists)('so is an array of %s', async (type, value) => {
    const text = `SELECT ${value}::${type} AS one, ARRAY[${value}::${type}] AS many, NULL::${type}[] AS none`;
    const [found] = await queryChecked(pool, { one: type, many: `${type}[]`, none: `${type}[]?` }, text);
    expect(found?.many).toEqual([found?.one]);
  });

  it('a bigint keeps all its digits', async () => {
    const rows = await queryChecked(pool, { big: 'int8' }, 'SELECT 9007199254740993::int8 AS big');
    expect(rows).toEqual([{ big: '9007199254740993' }]);
  });

  it('a row of another shape is an error that names its column', async () => {
    const wrong = queryChecked(pool, { count: 'int4' }, 'SELECT count(*) AS count FROM pg_class');
    await expect(wrong).rejects.toThrow('column count is no "int4": string');
  });
});

describe('A mismatch is found', () => {
  it.each([
    [{ a: 'text' }, { a: null }],
    [{ a: 'jsonb' }, { a: undefined }],
    [{ a: 'text[]' }, { a: ['x', null] }],
    [{ a: 'text' }, {}],
    [{}, { a: 1 }],
    [{ a: ['x', 'y'] }, { a: 'z' }],
    [{ a: ['x', 'y'] }, { a: null }],
    [{ a: 'timestamptz' }, { a: '2026-01-02' }],
    [{ a: 'bytea' }, { a: 'x' }],
  ] as const)('%j of %j', (description, row) => {
    expect(findRowMismatch(description, row)).toMatch(/^column a is (no|not) /);
  });

  it('and none in a row that fits', () => {
    const description = { a: ['x', null], b: 'text[]?', c: 'json', d: 'int4' } as const;
    expect(findRowMismatch(description, { a: null, b: ['x'], c: null, d: 1 })).toBeUndefined();
  });
});

it('the type of a row follows from its description', () => {
  type Row = RowOf<{
    readonly id: 'uuid';
    readonly at: 'timestamptz?';
    readonly big: 'int8';
    readonly tags: 'text[]?';
    readonly role: readonly ['ADMIN', 'VIEWER', null];
    readonly more: 'jsonb?';
  }>;
  expectTypeOf<Row>().toEqualTypeOf<{
    readonly id: string;
    readonly at: Date | null;
    readonly big: string;
    readonly tags: readonly string[] | null;
    readonly role: 'ADMIN' | 'VIEWER' | null;
    readonly more: SqlJson;
  }>();
});
