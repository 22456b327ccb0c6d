import type { Pool } from '@trellis/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRegistryTables, LINK, serverFor, type RegistryTables } from '../../testing/registry-stage.ts';

let tables: RegistryTables;
let pool: Pool;

beforeAll(async () => {
  tables = await createRegistryTables();
  ({ pool } = tables);
});

afterAll(() => tables.close());

describe('A registry over HTTP', () => {
  it('says that it can not decide where recorded operations can not be read', async () => {
    const behind = await serverFor(pool, ['graph:publish:*'], {
      operations: ['postgresql://user:secret@127.0.0.1:1/none'],
    });
    const publication = (sdl: string) => {
      const set = [{ name: 'a', sdl: LINK + sdl, source: 'a', routingUrl: 'http://a.test/' }];
      const url = '/v1/graphs/undecided/environments/test/publications';
      return behind.inject({ method: 'POST', url, payload: { set, remove: [], isWhole: false } });
    };
    expect((await publication('type Query { a: Int }')).statusCode).toBe(200);
    const undecided = await publication('type Query { a: Int b: Int }');
    expect([undecided.statusCode, undecided.json()]).toEqual([
      503,
      {
        error: {
          code: 'STORE_UNAVAILABLE',
          message: 'The recorded operations that checks go by can not be read.',
        },
      },
    ]);
    await behind.close();
  });
});
