import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createLogger, createMetrics, type Metrics } from '@trellis/runtime';
import { createPool, type Pool } from '@trellis/postgres';
import { migrateSubgraph, openStaleReads, type OpenStaleReads } from '@trellis/subgraph-kit';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import type { UserContext } from '@trellis/subgraph-protocol';
import {
  startTestRedis,
  startTestReplicatedPostgres,
  type TestRedis,
  type TestReplicatedPostgres,
} from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildServer } from './server.ts';

const MAX_LAG_MS = 1_500;
const WITHIN = { timeout: 20_000, interval: 20 };
const MIGRATIONS = new URL('../migrations/', import.meta.url);

const userOf = (digit: string): UserContext => ({
  user: { id: `00000000-0000-7000-8000-00000000000${digit}`, roles: ['EDITOR'], tokenIssuedAt: 1 },
  scopes: ['read:data', 'write:data'],
});
const [writer, reader] = [userOf('1'), userOf('2')];

/** One of several processes of the subgraph. */
interface Process {
  readonly subgraph: TestSubgraph;
  readonly reads: OpenStaleReads;
  readonly metrics: Metrics;
  readonly log: string[];
  readonly stop: () => Promise<void>;
}

let servers: TestReplicatedPostgres;
let redis: TestRedis;
let own: Process;
let other: Process;

async function startProcess(): Promise<Process> {
  const pool: Pool = createPool({ connectionString: servers.primary, schema: 'posts' });
  const connections: RedisConnection[] = [];
  const log: string[] = [];
  const metrics = createMetrics('posts');
  const logger = createLogger({
    service: 'posts',
    destination: { write: (line: string) => void log.push(line) },
  });
  const reads = openStaleReads({
    service: 'posts',
    pool,
    connectionString: servers.replica,
    max: 5,
    maxLagMs: MAX_LAG_MS,
    connectRedis: () => {
      const connection = connectRedis({ url: redis.url, name: 'posts', onError: () => undefined });
      connections.push(connection);
      return connection;
    },
    logger,
    metrics,
  });
  const subgraph = await startTestSubgraph({
    service: 'posts',
    migrations: MIGRATIONS,
    buildServer: (dependencies) => buildServer({ ...dependencies, pool, staleReads: reads }),
  });
  const stop = async (): Promise<void> => {
    await subgraph.close();
    await reads.close();
    await pool.end();
    for (const connection of connections) connection.disconnect();
  };
  return { subgraph, reads, metrics, log, stop };
}

async function readsOf({ metrics }: Process, target: 'replica' | 'primary'): Promise<number> {
  const found = await metrics.getSingleMetric('trellis_postgres_stale_reads_total')?.get();
  return found?.values.find(({ labels }) => labels['target'] === target)?.value ?? 0;
}

/** Where the next list of a user is read. */
async function targetOf(process: Process, as: UserContext): Promise<'replica' | 'primary'> {
  const before = await readsOf(process, 'replica');
  await titles(process, as);
  return (await readsOf(process, 'replica')) > before ? 'replica' : 'primary';
}

async function titles({ subgraph }: Process, as: UserContext): Promise<readonly string[]> {
  const query = '{ posts(first: 50) { title } }';
  const { data } = await subgraph.ask<{ posts: { title: string }[] }>({ query, as });
  return data.posts.map(({ title }) => title);
}

async function create({ subgraph }: Process, title: string): Promise<void> {
  const query = `mutation ($title: String!) { createPost(input: { title: $title, body: "x" }) { success } }`;
  const { errors } = await subgraph.ask({ query, variables: { title }, as: writer });
  expect(errors).toEqual([]);
}

beforeAll(async () => {
  [servers, redis] = await Promise.all([startTestReplicatedPostgres(), startTestRedis()]);
  await migrateSubgraph({ connectionString: servers.primary, schema: 'posts', directory: MIGRATIONS });
  own = await startProcess();
  other = await startProcess();
  for (const process of [own, other])
    await vi.waitUntil(async () => (await targetOf(process, reader)) === 'replica', WITHIN);
});
afterAll(async () => {
  await own.stop();
  await other.stop();
  await servers.stop();
  await redis.stop();
});

describe('lists of posts beside a replica', () => {
  it('have what the user has just written, in every process; those of others may be as old as the bound', async () => {
    await servers.delayReplay(700);
    let attempt = 0;
    await vi.waitFor(async () => {
      attempt += 1; // the server takes up its settings a little later
      await create(own, `of the writer ${attempt}`);
      const seen = await Promise.all([titles(own, writer), titles(other, writer), titles(other, reader)]);
      expect(seen[0]).toContain(`of the writer ${attempt}`);
      expect(seen[1]).toContain(`of the writer ${attempt}`);
      expect(seen[2]).not.toContain(`of the writer ${attempt}`);
    }, WITHIN);
    expect(await targetOf(other, reader)).toBe('replica');
    expect(await targetOf(other, writer)).toBe('primary');
    await vi.waitFor(
      async () => expect(await titles(other, reader)).toContain(`of the writer ${attempt}`),
      WITHIN,
    );
    await vi.waitFor(async () => expect(await targetOf(other, writer)).toBe('replica'), WITHIN);
    await servers.delayReplay(0);
  });

  it('a post by its id is read from the primary', async () => {
    await create(own, 'by its id');
    const before = [await readsOf(other, 'replica'), await readsOf(other, 'primary')];
    const query = '{ post(id: "00000000-0000-7000-8000-000000000009") { title } }';
    await other.subgraph.ask({ query, as: reader });
    expect([await readsOf(other, 'replica'), await readsOf(other, 'primary')]).toEqual(before);
  });

  it('leave a replica that lags too far, say so in the log and in the metrics, and come back', async () => {
    await vi.waitFor(async () => expect(await targetOf(own, reader)).toBe('replica'), WITHIN);
    own.log.length = 0;
    await servers.pauseReplay();
    await create(own, 'while it lags');
    await vi.waitFor(
      () => expect(own.log.join('')).toContain('the replica lags behind: reads go to the primary'),
      WITHIN,
    );
    expect(await titles(own, reader)).toContain('while it lags');
    const lag = await own.metrics.getSingleMetric('trellis_postgres_replica_lag_seconds')?.get();
    expect(lag?.values[0]?.value).toBeGreaterThan(MAX_LAG_MS / 1_000);
    await servers.resumeReplay();
    await vi.waitFor(async () => expect(await targetOf(own, reader)).toBe('replica'), WITHIN);
    expect(own.log.at(-1)).toContain('the replica has caught up: reads go there');
  });
});
