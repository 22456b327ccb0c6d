import { gql } from 'graphql-tag';
import { queryChecked } from '@trellis/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trimAttempts, writeAttempt } from './audit-log.ts';
import { PostgresStore } from './postgres-store.ts';
import { callerOf, RegistryStage } from '../../testing/registry-stage.ts';

const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
let stage: RegistryStage;

beforeAll(async () => {
  stage = await RegistryStage.start();
});

afterAll(() => stage.close());

describe('A registry over HTTP', () => {
  it('creates a record with its row of the audit log, or neither', async () => {
    const row = { outcome: 'text', sequence: 'int4?' } as const;
    const other = { graph: 'atomic', environment: 'test' };
    const audited = { caller: undefined, action: 'publish', log: other, subgraphs: ['a'] } as const;
    const rows = () =>
      queryChecked(stage.pool, row, "SELECT outcome, sequence FROM audit WHERE graph = 'atomic' ORDER BY id");
    const store = new PostgresStore(stage.pool, audited);
    expect(await store.createRecord(other, 1, 'one', signal)).toBe(true);
    expect(await store.createRecord(other, 1, 'another', signal)).toBe(false);
    // A table that takes no row: the record does not come either.
    await stage.pool.query("ALTER TABLE audit ADD CONSTRAINT takes_none CHECK (graph <> 'atomic') NOT VALID");
    await expect(store.createRecord(other, 2, 'two', signal)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    await stage.pool.query('ALTER TABLE audit DROP CONSTRAINT takes_none');
    expect(await rows()).toEqual([{ outcome: 'published', sequence: 1 }]);
    expect(await store.readHead(other, signal)).toBe(1);
  });

  it('keeps the newest attempts that changed nothing, and each row of a record', async () => {
    const other = { graph: 'attempts', environment: 'test' };
    const audited = { caller: undefined, action: 'publish', log: other, subgraphs: [] } as const;
    for (const outcome of ['first', 'second', 'third']) await writeAttempt(stage.pool, audited, outcome);
    const row = { outcome: 'text', sequence: 'int4?' } as const;
    const rows = () => queryChecked(stage.pool, row, 'SELECT outcome, sequence FROM audit ORDER BY id');
    const ofRecords = (await rows()).filter(({ sequence }) => sequence !== null);
    const ofAnother = { ...audited, caller: callerOf('another', []) };
    await writeAttempt(stage.pool, ofAnother, 'of another');
    await trimAttempts(stage.pool, 2);
    const left = "SELECT outcome, sequence FROM audit WHERE graph = 'attempts' ORDER BY id";
    expect((await queryChecked(stage.pool, row, left)).map(({ outcome }) => outcome)).toEqual([
      'second',
      'third',
      'of another',
    ]);
    expect((await rows()).filter(({ sequence }) => sequence !== null)).toEqual(ofRecords);
  });

  it('names the first twenty subgraphs of an attempt, and how many more there are', async () => {
    const subgraphs = Array.from({ length: 1_000 }, (_, index) => `s${index}`);
    const other = { graph: 'many', environment: 'test' };
    await writeAttempt(
      stage.pool,
      { caller: undefined, action: 'publish', log: other, subgraphs },
      'NO_RIGHT',
    );
    const text = "SELECT array_to_string(subgraphs, ' ') AS named FROM audit WHERE graph = 'many'";
    const [row] = await queryChecked(stage.pool, { named: 'text' }, text);
    expect(row?.named).toMatch(/^s0 .* s19 and 980 more$/);
    expect(row?.named).not.toContain('s20');
  });

  it('says what came of a request whose row can not be written', async () => {
    await stage.pool.query(
      "ALTER TABLE audit ADD CONSTRAINT takes_none CHECK (graph <> 'unaudited') NOT VALID",
    );
    const graph = { graph: 'unaudited@test' };
    expect(
      await stage.publish(
        'users',
        'posts',
        gql`
          type Query {
            p: Int
          }
        `,
        graph,
      ),
    ).toMatchObject({
      status: 77,
      error: expect.stringContaining('no scope graph:publish:posts') as string,
    });
    await stage.pool.query('ALTER TABLE audit DROP CONSTRAINT takes_none');
  });
});
