import { queryChecked, type Pool } from '@trellis/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SharedAllowance } from './shared-allowance.ts';
import { createRegistryTables, serverFor, type RegistryTables } from '../../testing/registry-stage.ts';

let tables: RegistryTables;
let pool: Pool;

beforeAll(async () => {
  tables = await createRegistryTables();
  ({ pool } = tables);
});

afterAll(() => tables.close());

describe('A registry over HTTP', () => {
  it('takes so many requests and changes of a client in a minute', async () => {
    const behind = await serverFor(pool, ['graph:read', 'graph:publish:a'], {
      client: 'frequent',
      limits: { requestsPerMinute: 4, changesPerMinute: 1 },
    });
    const url = '/v1/graphs/limits/environments/test/publications';
    const change = () => behind.inject({ method: 'POST', url, payload: {} });
    const read = () => behind.inject({ url: '/v1/logs' });
    const responses = [await change(), await change(), await read(), await read(), await read()];
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([400, 429, 200, 200, 429]);
    const tooMany = (what: string): unknown => ({
      error: { message: `This client sends too many ${what}. Try again in a minute.` },
    });
    expect([responses[1]?.json(), responses[4]?.json()]).toEqual([tooMany('changes'), tooMany('requests')]);
    expect(responses[4]?.headers['retry-after']).toBe('1');
    await behind.close();
  });
});

describe('An allowance of several servers', () => {
  const HOUR_MS = 3_600_000;

  it('gives to all of them together what it holds, and not one more', async () => {
    const options = { pool, kind: 'exact', amount: 10, windowMs: HOUR_MS };
    const servers = [
      new SharedAllowance(options),
      new SharedAllowance(options),
      new SharedAllowance(options),
    ];
    const takes = Array.from({ length: 60 }, (_, index) => servers[index % 3]?.take('one'));
    expect((await Promise.all(takes)).filter(Boolean)).toHaveLength(10);
    expect(await servers[0]?.take('another')).toBe(true);
  });

  it('costs a busy client few statements, and never gives more than it holds', async () => {
    const options = { pool, kind: 'leased', amount: 1_000, windowMs: HOUR_MS, maxLease: 50 };
    const servers = [new SharedAllowance(options), new SharedAllowance(options)];
    let taken = 0;
    for (let count = 0; count < 1_200; count += 1) if (await servers[count % 2]?.take('busy')) taken += 1;
    expect(taken).toBeLessThanOrEqual(1_000);
    // What one of them holds when nothing is left is all that may go unused.
    expect(taken).toBeGreaterThanOrEqual(900);
    expect(servers.reduce((sum, { asked }) => sum + asked, 0)).toBeLessThan(100);
  });

  it('takes one at first, twice as much as was used after that, and one again after a pause', async () => {
    let nowMs = 0;
    const options = { pool, kind: 'growing', amount: 100, windowMs: HOUR_MS, maxLease: 8 };
    const server = new SharedAllowance({ ...options, now: () => nowMs });
    const left = async (): Promise<number | undefined> => {
      const text = "SELECT floor(available)::int AS left FROM allowance WHERE kind = 'growing'";
      const [row] = await queryChecked(pool, { left: 'int4?' }, text);
      return row?.left ?? undefined;
    };
    const leftAfter = async (count: number): Promise<number | undefined> => {
      for (let each = 0; each < count; each += 1) await server.take('one');
      return left();
    };
    expect([await leftAfter(1), await leftAfter(1), await leftAfter(2), await leftAfter(4)]).toEqual([
      99, 97, 93, 85,
    ]);
    nowMs += 5_001;
    expect(await leftAfter(1)).toBe(84);
  });

  it('comes back by the clock of the database', async () => {
    const server = new SharedAllowance({ pool, kind: 'back', amount: 2, windowMs: HOUR_MS });
    expect([await server.take('one'), await server.take('one')]).toEqual([true, true]);
    await pool.query(
      "UPDATE allowance SET refilled_at = refilled_at - interval '30 minutes' WHERE kind = 'back'",
    );
    const another = new SharedAllowance({ pool, kind: 'back', amount: 2, windowMs: HOUR_MS });
    expect([await another.take('one'), await another.take('one')]).toEqual([true, false]);
  });

  it('holds for a client whichever server it asks, and for each client alone', async () => {
    const limits = { requestsPerMinute: 3 };
    const options = { client: 'roaming', limits };
    const servers = [
      await serverFor(pool, ['graph:read'], options),
      await serverFor(pool, ['graph:read'], options),
    ];
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1)
      statuses.push((await servers[count % 2]?.inject({ url: '/v1/logs' }))?.statusCode ?? 0);
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses).toContain(429);
    const other = await serverFor(pool, ['graph:read'], { client: 'settled', limits });
    expect((await other.inject({ url: '/v1/logs' })).statusCode).toBe(200);
    await Promise.all([...servers, other].map((server) => server.close()));
  });
});
