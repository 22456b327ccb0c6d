import type { Pool } from '@trellis/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresStore } from './postgres-store.ts';
import { createRegistryTables, type RegistryTables } from '../../testing/registry-stage.ts';

const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
let tables: RegistryTables;
let pool: Pool;

beforeAll(async () => {
  tables = await createRegistryTables();
  ({ pool } = tables);
});

afterAll(() => tables.close());

describe('A registry over HTTP', () => {
  it('creates a record once, for one of many callers', async () => {
    const store = new PostgresStore(pool);
    const other = { graph: 'race', environment: 'test' };
    const callers = Array.from({ length: 8 }, (_, index) =>
      store.createRecord(other, 1, `jws-${index}`, signal),
    );
    expect((await Promise.all(callers)).filter(Boolean)).toHaveLength(1);
  });
});
