import { setTimeout as delay } from 'node:timers/promises';
import { createPool, inTransaction, migrate, queryChecked, type Pool } from '@trellis/postgres';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createLogger, createMetrics } from '@trellis/runtime';
import {
  createTestDatabase,
  hasPgBouncer,
  startTestPgBouncer,
  startTestRedis,
  type TestDatabase,
  type TestPgBouncer,
  type TestRedis,
} from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createConsumerMetrics, startConsumer } from './consumer.ts';
import { eventMigrations } from './event-migrations.ts';
import { createEventStream, type EventStream } from './event-stream.ts';
import { startLeadership, type Background } from './leadership.ts';
import { createOutboxLog } from './outbox-log.ts';
import { appendEvent } from './outbox.ts';
import { createRelayWakeUp } from './relay-wake-up.ts';
import { startRelay } from './relay.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const SUBJECT = '01941f29-7c00-7a00-8000-000000000001';
/** Fewer sessions than clients, so that each session serves many. */
const FEW_SESSIONS = ['default_pool_size = 5'];

/** A leader's connection that fails at the first sign of life, and says so by no event. */
function withoutHeartbeat<Client extends { readonly query: unknown }>(client: Client): Client {
  const send = (client.query as (...statement: readonly unknown[]) => unknown).bind(client);
  const query = (...statement: readonly unknown[]): unknown =>
    statement[0] === 'SELECT' ? Promise.reject(new Error('The connection is lost.')) : send(...statement);
  return Object.assign(client, { query });
}

describe.skipIf(!hasPgBouncer)(
  'Events through PgBouncer in transaction mode (needs a pgbouncer on this machine)',
  () => {
    let database: TestDatabase;
    let redis: TestRedis;
    let pooler: TestPgBouncer;
    let first: Pool;
    let second: Pool;
    let connection: RedisConnection;
    let stream: EventStream;
    const running: Background[] = [];

    beforeAll(async () => {
      [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
      pooler = await startTestPgBouncer({
        connectionString: database.connectionString,
        settings: FEW_SESSIONS,
      });
      const { connectionString } = pooler;
      await Promise.all(
        [1, 2].map(() =>
          migrate({ connectionString, schema: 'source', directory: eventMigrations.directory }),
        ),
      );
      first = createPool({ connectionString, schema: 'source' });
      second = createPool({ connectionString, schema: 'source' });
      await first.query('CREATE TABLE applied (seq bigint PRIMARY KEY)');
      connection = connectRedis({ url: redis.url, name: 'test', onError: () => {} });
      stream = createEventStream({ redis: connection, service: 'source' });
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map((background) => background.close()));
    });
    afterAll(async () => {
      connection?.disconnect();
      await Promise.all([first?.end(), second?.end()]);
      await pooler?.stop();
      await redis?.stop();
      await database?.drop();
    });

    function relay(pool: Pool): void {
      const wakeUp = createRelayWakeUp({ service: 'source', pool, logger });
      const background = startRelay({
        service: 'source',
        pool,
        stream,
        wakeUp,
        logger,
        metrics: createMetrics('t'),
      });
      running.push(background, wakeUp);
    }
    function consumer(pool: Pool): void {
      running.push(
        startConsumer({
          service: 'target',
          source: 'source',
          pool,
          stream,
          redis: connection,
          upstream: {
            readAfter: async (seq, limit) => {
              const log = createOutboxLog(pool);
              return { head: await log.head(), events: await log.readAfter(seq, limit) };
            },
            readSnapshot: () => Promise.resolve({ items: [], next: null }),
          },
          handler: {
            apply: async (transaction, { seq }) =>
              void (await transaction.query('INSERT INTO applied VALUES ($1)', [seq])),
            beginSnapshot: () => Promise.resolve(),
            restore: () => Promise.resolve(),
            endSnapshot: () => Promise.resolve(),
          },
          metrics: createConsumerMetrics(createMetrics('t')),
          logger,
        }),
      );
    }
    const poolOf = (index: number) => (index % 2 === 0 ? first : second);
    const publish = (pool: Pool) =>
      inTransaction(pool, (transaction) =>
        appendEvent(transaction, { type: 'note.saved', subject: SUBJECT, payload: {} }),
      );
    const applied = async () => {
      const rows = await queryChecked(first, { seq: 'int4' }, 'SELECT seq::int FROM applied ORDER BY 1');
      return rows.map(({ seq }) => seq);
    };
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

    it('are sequenced without a gap and applied once, whichever process has the leadership, also when the pooler is restarted', async () => {
      for (const pool of [first, second]) {
        relay(pool);
        consumer(pool);
      }
      await Promise.all(upTo(60).map((index) => publish(poolOf(index))));
      await expect.poll(applied).toEqual(upTo(60));
      await pooler.restart();
      let published = 60;
      while (published < 100)
        published += await publish(poolOf(published)).then(
          () => 1,
          () => delay(20, 0),
        );
      await expect.poll(() => applied().catch(() => [])).toEqual(upTo(100));
    });

    it('are led by one at a time, also when a leader takes its time to end', async () => {
      let terms = 0;
      let leaders = 0;
      let most = 0;
      const work = async (_leader: unknown, signal: AbortSignal): Promise<void> => {
        terms += 1;
        leaders += 1;
        most = Math.max(most, leaders);
        await delay(60_000, undefined, { signal }).catch(() => undefined);
        await delay(1_500); // longer than the pause before the next term
        leaders -= 1;
      };
      const pool = {
        connect: () => first.connect().then(withoutHeartbeat),
        sharesSessions: true,
      } as unknown as Pool;
      running.push(startLeadership({ pool, name: 'slow end', logger, work }));
      await expect.poll(() => terms).toBe(2);
      expect(most).toBe(1);
    });

    it('leave no lock and no listener behind in a session', async () => {
      const pool = createPool({ connectionString: database.connectionString, schema: 'source' });
      const locks =
        "SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
      await expect.poll(async () => (await pool.query(locks)).rows).toEqual([{ count: 0 }]);

      const heard = await Promise.all(upTo(10).map(() => first.query('SELECT pg_listening_channels()')));
      expect(heard.flatMap(({ rows }) => rows as unknown[])).toEqual([]);
      await pool.end();
    });
  },
);
