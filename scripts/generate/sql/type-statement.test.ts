import type { Statement, StatementDescription } from '@trellis/postgres';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStatement } from './describe-statement.ts';
import { hasOuterJoin } from './outer-joins.ts';
import { readCatalogue } from './read-catalogue.ts';
import { typeStatement } from './type-statement.ts';

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.connectionString });
  await client.connect();
  await client.query(`
    CREATE TABLE account (id uuid PRIMARY KEY, name text, role text NOT NULL CHECK (role IN ('A', 'it''s')),
      mood text CHECK (mood IN ('good', 'bad')), tags text[] NOT NULL, made timestamptz NOT NULL, spot point);
    CREATE TABLE visit (account uuid NOT NULL REFERENCES account, seq bigint NOT NULL)`);
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

async function type(text: string, ...notNull: readonly string[]) {
  const description: StatementDescription = { parameters: [], row: {} };
  const statement: Statement<StatementDescription> = { id: 'file.one', text, notNull, description };
  return typeStatement(statement, await describeStatement(client, text), await readCatalogue(client));
}

describe('Types of a statement', () => {
  it('of columns are those of the table: nullable, arrays, and the texts of a check', async () => {
    expect(await type('SELECT id, name, role, mood, tags, made FROM account WHERE id = ANY($1)')).toEqual({
      parameters: ['uuid[]'],
      row: {
        id: 'uuid',
        name: 'text?',
        role: ['A', "it's"],
        mood: ['good', 'bad', null],
        tags: 'text[]',
        made: 'timestamptz',
      },
    });
  });

  it('of an expression are nullable, unless the statement says otherwise', async () => {
    const text = 'SELECT count(*) AS visits, max(seq) AS last FROM visit';
    expect((await type(text)).row).toEqual({ visits: 'int8?', last: 'int8?' });
    expect((await type(text, 'visits')).row).toEqual({ visits: 'int8', last: 'int8?' });
  });

  it.each([
    'SELECT account.id, seq FROM account LEFT JOIN visit ON account = id',
    'SELECT id, seq FROM visit RIGHT OUTER JOIN account ON account = id',
    'WITH all_of AS (SELECT id, seq FROM account full join visit ON account = id) SELECT id, seq FROM all_of',
    'SELECT id, seq FROM account LEFT JOIN LATERAL (SELECT seq FROM visit WHERE account = id) AS v ON true',
  ])('of an outer join are nullable: %s', async (text) => {
    expect((await type(text)).row).toEqual({ id: 'uuid?', seq: 'int8?' });
    expect((await type(text, 'id')).row).toEqual({ id: 'uuid', seq: 'int8?' });
  });

  it('of a UNION are nullable: PostgreSQL names no table', async () => {
    expect((await type('SELECT role FROM account UNION ALL SELECT role FROM account')).row).toEqual({
      role: 'text?',
    });
  });

  it('of parameters come with statements that return nothing', async () => {
    expect(await type('UPDATE visit SET seq = $2 WHERE account = $1')).toEqual({
      parameters: ['uuid', 'int8'],
      row: {},
    });
  });
});

describe('An error names the statement', () => {
  it.each([
    [
      'SELECT spot FROM account',
      [],
      'file.one has the type point, which packages/postgres/src/sql-types.ts does not list.',
    ],
    ['SELECT id, id FROM account', [], 'file.one returns two columns id.'],
    ['SELECT id FROM account', ['id'], 'file.one: PostgreSQL knows that id is not null.'],
    ['SELECT id FROM account', ['nothing'], 'file.one returns no column nothing.'],
  ])('%s', async (text, notNull, message) => {
    await expect(type(text, ...notNull)).rejects.toThrow(message);
  });

  it('that PostgreSQL rejects, and the connection serves the next one', async () => {
    await expect(type('SELECT nothing FROM account')).rejects.toThrow('column "nothing" does not exist');
    expect((await type('SELECT id FROM account')).row).toEqual({ id: 'uuid' });
  });
});

it.each([
  ['SELECT a FROM b LEFT\n  JOIN c USING (d)', true],
  ['SELECT a FROM b GROUP BY ROLLUP (a)', true],
  ["SELECT ' left join ' FROM b JOIN c ON true -- right join", false],
  ['SELECT "full join" /* left join */, left(a, 1) FROM b', false],
  ['SELECT $x$ left join $x$ FROM b', false],
])('outer joins are keywords, not texts: %s', (text, expected) => {
  expect(hasOuterJoin(text)).toBe(expected);
});
