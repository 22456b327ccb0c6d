import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, createMetrics } from '@trellis/runtime';
import { createPool, inTransaction, migrate, queryChecked, type Pool } from '@trellis/postgres';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import {
  createTestDatabase,
  latencyBudgetMs,
  startTestRedis,
  type TestDatabase,
  type TestRedis,
} from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createConsumerMetrics, startConsumer, type EventHandler } from './consumer.ts';
import type { SequencedEvent } from './domain-event.ts';
import { eventMigrations } from './event-migrations.ts';
import type { EventSource } from './event-source.ts';
import { createEventStream, type EventStream } from './event-stream.ts';
import type { Background } from './leadership.ts';
import { createOutboxLog, READ_AFTER } from './outbox-log.ts';
import { maintainPartitions } from './outbox-partitions.ts';
import { appendEvent } from './outbox.ts';
import { startRelay, type RelayOptions } from './relay.ts';
import { createRelayWakeUp, relayChannel, type RelayWakeUp } from './relay-wake-up.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const SUBJECT = '01941f29-7c00-7a00-8000-000000000001';
const POISON = 'poison';

let database: TestDatabase;
let redis: TestRedis;
let source: Pool;
let target: Pool;
let connection: RedisConnection;
let reading: RedisConnection;
let stream: EventStream;
let elsewhere: RelayWakeUp;
const running: Background[] = [];

beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const { connectionString } = database;
  source = createPool({ connectionString, schema: 'source', max: 30 });
  target = createPool({ connectionString, schema: 'target' });
  for (const schema of ['source', 'target']) {
    await migrate({ connectionString, schema, directory: eventMigrations.directory });
  }
  await source.query('CREATE TABLE note (subject uuid, text text)');
  await target.query(
    'CREATE TABLE applied (seq bigint PRIMARY KEY); CREATE TABLE held (text text PRIMARY KEY, stale boolean NOT NULL DEFAULT false)',
  );
  const connect = () => connectRedis({ url: redis.url, name: 'test', onError: () => {} });
  [connection, reading] = [connect(), connect()];
  stream = createEventStream({ redis: connection, service: 'source' });
  elsewhere = createRelayWakeUp({ service: 'source', pool: source, logger });
});
beforeEach(async () => {
  await source.query('TRUNCATE note, outbox; UPDATE outbox_head SET seq = 0');
  await target.query('TRUNCATE applied, held, event_cursor, dead_letter');
  await connection.flushall();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((background) => background.close()));
  while ((await leaders()) > 0) await sleep(10); // the next test's relay is not to be taken for this one's
});
afterAll(async () => {
  await elsewhere.close();
  connection.disconnect();
  reading.disconnect();
  await Promise.all([source.end(), target.end(), redis.stop()]);
  await database.drop();
});

/** Writes as another process than the relay's would, but notifies no one. */
const commit = (text: string, fails = false) =>
  inTransaction(source, async (transaction) => {
    await transaction.query('INSERT INTO note VALUES ($1, $2)', [SUBJECT, text]);
    await appendEvent(transaction, { type: 'note.saved', subject: SUBJECT, payload: { text } });
    if (fails) throw new Error('on second thoughts');
  });

/** Writes as another process than the relay's does. */
async function publish(text: string, fails = false): Promise<void> {
  await commit(text, fails);
  elsewhere.poke();
}

function wakeUpOf(pool = source): RelayWakeUp {
  const wakeUp = createRelayWakeUp({ service: 'source', pool, logger });
  running.push(wakeUp);
  return wakeUp;
}

function relay(options: Partial<RelayOptions> = {}): Background {
  const background = startRelay({
    service: 'source',
    pool: source,
    stream,
    wakeUp: wakeUpOf(),
    logger,
    metrics: createMetrics('t'),
    ...options,
  });
  running.push(background);
  return background;
}

/** How many relays and consumers lead. */
async function leaders(): Promise<number> {
  const { rows } = await source.query(
    "SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
  );
  return rows.length;
}

const leadershipAcquired = () => expect.poll(leaders, { timeout: 30_000 }).toBe(1);

const upstreamCalls: string[] = [];
const upstream: EventSource = {
  readAfter: async (seq, limit) => {
    upstreamCalls.push('events');
    const log = createOutboxLog(source);
    const head = await log.head();
    const events = await log.readAfter(seq, limit);
    return seq < head && events[0]?.seq !== seq + 1 ? undefined : { head, events };
  },
  readSnapshot: async () => {
    upstreamCalls.push('snapshot');
    const rows = await queryChecked(source, { text: 'text' }, 'SELECT text FROM note');
    return { items: rows.map((payload) => ({ type: 'note.saved', subject: SUBJECT, payload })), next: null };
  },
};

const textOf = ({ payload }: { readonly payload: unknown }) => (payload as { text: string }).text;
const HOLD = 'INSERT INTO held (text) VALUES ($1) ON CONFLICT (text) DO UPDATE SET stale = false';
/** An event that is applied twice violates the primary key, and ends among the dead letters. */
const handler: EventHandler = {
  apply: async (transaction, event) => {
    if (textOf(event) === POISON) throw new TypeError('cannot make sense of this');
    await transaction.query('INSERT INTO applied VALUES ($1)', [event.seq]);
    await transaction.query(HOLD, [textOf(event)]);
  },
  beginSnapshot: async (transaction) => void (await transaction.query('UPDATE held SET stale = true')),
  restore: async (transaction, items) => {
    for (const item of items) await transaction.query(HOLD, [textOf(item)]);
  },
  endSnapshot: async (transaction) => void (await transaction.query('DELETE FROM held WHERE stale')),
};

function consumer(
  options: { readonly stream?: EventStream; readonly metrics?: ReturnType<typeof createMetrics> } = {},
): Background {
  const background = startConsumer({
    service: 'target',
    source: 'source',
    pool: target,
    stream: options.stream ?? stream,
    redis: reading,
    upstream,
    handler,
    logger,
    metrics: createConsumerMetrics(options.metrics ?? createMetrics('t')),
  });
  running.push(background);
  return background;
}

const held = async () =>
  (await queryChecked(target, { text: 'text' }, 'SELECT text FROM held ORDER BY text')).map(
    ({ text }) => text,
  );
const dead = async () => (await target.query('SELECT source, seq::int, error FROM dead_letter')).rows;
const hasBegun = () =>
  expect.poll(async () => (await target.query('SELECT FROM event_cursor')).rowCount).toBe(1);
const numbers = async () =>
  (await queryChecked(source, { seq: 'int4?' }, 'SELECT seq::int FROM outbox ORDER BY position')).map(
    ({ seq }) => seq,
  );
const texts = (count: number, prefix = 'e') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const streamed = async () => (await stream.readAfter(reading, 0, 10_000, 10)).map(textOf);

describe('the outbox', () => {
  it('holds what was committed, and nothing of what was not', async () => {
    await publish('committed');
    await expect(publish('lost', true)).rejects.toThrow('second thoughts');
    await createOutboxLog(source).sequence(10);
    expect((await createOutboxLog(source).readAfter(0, 10)).map(textOf)).toEqual(['committed']);
  });

  it('sequences an event that is committed late after those that overtook it', async () => {
    const log = createOutboxLog(source);
    const late = await source.connect();
    await late.query('BEGIN');
    await appendEvent(late, { type: 'note.saved', subject: SUBJECT, payload: { text: 'late' } });
    await publish('early');
    expect(await log.sequence(10)).toBe(1);
    await late.query('COMMIT');
    late.release();
    expect(await log.sequence(10)).toBe(1);
    expect((await log.readAfter(0, 10)).map((event) => [event.seq, textOf(event)])).toEqual([
      [1, 'early'],
      [2, 'late'],
    ]);
  });

  it('numbers without a gap, in batches, with nothing done when there is nothing to do', async () => {
    const log = createOutboxLog(source);
    await Promise.all(texts(25).map((text) => publish(text)));
    expect([
      await log.sequence(10),
      await log.sequence(10),
      await log.sequence(10),
      await log.sequence(10),
    ]).toEqual([10, 10, 5, 0]);
    expect((await numbers()).toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
    expect(await log.head()).toBe(25);
  });
});

describe('partitions', () => {
  const partitions = async () =>
    (
      await queryChecked(
        source,
        { name: 'name' },
        "SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'source.outbox'::regclass ORDER BY 1",
      )
    ).map(({ name }) => name);

  it('are made for the days to come, and dropped when they have expired and the stream has had them', async () => {
    const day = (text: string) => new Date(`${text}T12:00:00Z`);
    await inTransaction(source, (transaction) => maintainPartitions(transaction, 0, 3, day('2030-01-31')));
    expect(await partitions()).toEqual(
      expect.arrayContaining(['outbox_20300131', 'outbox_20300201', 'outbox_20300202']),
    );
    await source.query(
      "INSERT INTO outbox (id, type, subject, payload, occurred_at, seq) VALUES (gen_random_uuid(), 't', gen_random_uuid(), '1', '2030-01-31', 5)",
    );
    const later = (published: number) =>
      inTransaction(source, (transaction) =>
        maintainPartitions(transaction, published, 3, day('2030-02-10')),
      );
    await later(4);
    expect(await partitions()).toContain('outbox_20300131');
    expect(await partitions()).not.toContain('outbox_20300201');
    await later(5);
    expect(await partitions()).not.toContain('outbox_20300131');
    await source.query('DROP TABLE outbox_20300210, outbox_20300211, outbox_20300212');
  });

  it('are left out for a day of which the catch-all has events already', async () => {
    await publish('first');
    const client = await source.connect();
    await maintainPartitions(client, 0, 3);
    client.release();
    await publish('second');
    const today = `outbox_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`;
    expect(await partitions()).not.toContain(today);
    expect(await numbers()).toHaveLength(2);
  });
});

describe('the relay', () => {
  it('gives the stream every event, in the order of the numbers', async () => {
    await publish('before');
    relay();
    for (const text of texts(20)) await publish(text);
    await expect.poll(streamed).toEqual(['before', ...texts(20)]);
  });

  it('lets an event leave at once when it is poked', async () => {
    const wakeUp = wakeUpOf();
    relay({ wakeUp });
    await leadershipAcquired();
    await new Promise((resolve) => setTimeout(resolve, 600));
    const started = performance.now();
    await commit('quick');
    wakeUp.poke();
    await expect.poll(streamed, { interval: 2 }).toEqual(['quick']);
    expect(performance.now() - started).toBeLessThan(latencyBudgetMs(150));
  });

  it('hears of the commits of other processes', async () => {
    relay({ pollMs: 60_000 });
    await leadershipAcquired();
    for (const text of texts(20)) {
      await publish(text);
      await expect.poll(async () => (await streamed()).at(-1), { interval: 5, timeout: 30_000 }).toBe(text);
    }
  });

  it('finds what a lost notification was about', async () => {
    relay({ pollMs: 200 });
    await leadershipAcquired();
    for (const text of texts(3)) {
      await commit(text);
      await expect.poll(async () => (await streamed()).at(-1)).toBe(text);
    }
  });

  it('looks often where no notification arrives', async () => {
    const deaf = { connect: () => source.connect(), query: () => Promise.resolve() } as unknown as Pool; // notifies no one
    relay({ pool: deaf, pollMs: 60_000 });
    await leadershipAcquired();
    for (const text of texts(3)) {
      await commit(text);
      await expect.poll(async () => (await streamed()).at(-1)).toBe(text);
    }
  });

  it('is notified once of many commits, and not at all while it runs in the process of the commit', async () => {
    const listener = await source.connect();
    let heard = 0;
    listener.on('notification', () => (heard += 1));
    await listener.query(`LISTEN ${relayChannel('source')}`);
    const wakeUp = wakeUpOf();
    for (let count = 0; count < 500; count += 1) wakeUp.poke();
    await wakeUp.close();
    const other = wakeUpOf();
    other.lead(true);
    other.poke();
    await other.close();
    await listener.query('SELECT 1');
    listener.release(true);
    expect(heard).toBe(1);
  });

  it('numbers every event once when several run', async () => {
    const relays = [relay(), relay(), relay()];
    await Promise.all(texts(200).map((text) => publish(text)));
    await expect.poll(async () => (await streamed()).length).toBe(200);
    await relays[0]?.close();
    await publish('after');
    await expect.poll(async () => (await streamed()).at(-1)).toBe('after');
    expect(new Set(await numbers()).size).toBe(201);
  });

  it('F-06 fills a stream again that was wiped', async () => {
    relay();
    for (const text of texts(30)) await publish(text);
    await expect.poll(async () => (await streamed()).length).toBe(30);
    await connection.flushall();
    await expect.poll(streamed).toEqual(texts(30));
  });

  it('F-06 fills a stream again that went back to an older state', async () => {
    relay();
    for (const text of texts(30)) await publish(text);
    await expect.poll(async () => (await streamed()).length).toBe(30);
    const key = (await connection.keys('*'))[0] ?? '';
    const older = await connection.xrange(key, '-', '20-0');
    await connection.del(key);
    for (const [id, fields] of older) await connection.xadd(key, id, ...fields);
    await expect.poll(streamed).toEqual(texts(30));
  });

  it('F-17 keeps events in the outbox while Redis takes no writes, and gives them to the stream when it does', async ({
    skip,
  }) => {
    const limited = await connection.config('SET', 'maxmemory', '1').catch(() => undefined);
    if (limited === undefined) skip('This Redis has no limit of its memory.');
    relay();
    for (const text of texts(5)) await publish(text);
    await expect.poll(async () => createOutboxLog(source).head()).toBe(5);
    await expect(connection.xadd('probe', '*', 'a', 'b')).rejects.toThrow('OOM');
    expect(await streamed()).toEqual([]);
    await connection.config('SET', 'maxmemory', '0');
    await expect.poll(streamed).toEqual(texts(5));
  });

  it('replaces a stream that belongs to a database that is gone', async () => {
    await connection.xadd(
      'trellis:{events:source}:stream',
      '999-0',
      'id',
      'x',
      'payload',
      '{"text":"other life"}',
    );
    await publish('new');
    relay();
    await expect.poll(streamed).toEqual(['new']);
  });

  it('F-09 goes on after the database has thrown it out', async () => {
    relay();
    await publish('one');
    await expect.poll(streamed).toEqual(['one']);
    await source.query(
      'SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = $1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())',
      ['advisory'],
    );
    await publish('two');
    await expect.poll(streamed).toEqual(['one', 'two']);
  });

  it('leaves a payload out of the stream that is too large for it', async () => {
    relay();
    await publish('x'.repeat(20_000));
    await expect
      .poll(async () => (await stream.readAfter(reading, 0, 1, 10)).map(({ complete }) => complete))
      .toEqual([false]);
  });
});

describe('a consumer', () => {
  it('applies every event once, in order', async () => {
    relay();
    consumer();
    await hasBegun();
    for (const text of texts(50)) await publish(text);
    await expect.poll(held).toEqual(texts(50).toSorted());
    expect([(await target.query('SELECT FROM applied')).rowCount, await dead()]).toEqual([50, []]);
  });

  it('begins with a snapshot of what was there before there were events', async () => {
    await source.query("INSERT INTO note VALUES ($1, 'old')", [SUBJECT]);
    consumer();
    relay();
    await expect.poll(held).toEqual(['old']);
    await publish('new');
    await expect.poll(held).toEqual(['new', 'old']);
  });

  it('goes on where it stopped, and applies nothing twice when several run', async () => {
    relay();
    const first = consumer();
    for (const text of texts(10, 'a')) await publish(text);
    await expect.poll(async () => (await held()).length).toBe(10);
    await first.close();
    for (const text of texts(10, 'b')) await publish(text);
    consumer();
    consumer();
    await expect.poll(held).toEqual([...texts(10, 'a'), ...texts(10, 'b')]);
    expect(await dead()).toEqual([]);
  });

  it('reads from the source what the stream has lost', async () => {
    relay();
    const first = consumer();
    await publish('one');
    await expect.poll(held).toEqual(['one']);
    await first.close();
    for (const text of texts(5)) await publish(text);
    await expect.poll(async () => (await streamed()).length).toBe(6);
    const key = (await connection.keys('*'))[0] ?? '';
    await connection.xdel(key, '3-0', '4-0');
    consumer();
    await expect.poll(held).toEqual([...texts(5), 'one']);
  });

  it('reads from the source what is too large for the stream', async () => {
    relay();
    consumer();
    const large = 'x'.repeat(20_000);
    await publish(large);
    await publish('small');
    await expect.poll(held).toEqual(['small', large]);
  });

  it('F-07 goes on by asking the source while Redis is unavailable', async () => {
    relay();
    const unavailable: EventStream = {
      ...stream,
      readAfter: () => Promise.reject(new Error('connect ECONNREFUSED')),
    };
    consumer({ stream: unavailable });
    await publish('one');
    await expect.poll(held).toEqual(['one']);
    await publish('two');
    await expect.poll(held).toEqual(['one', 'two']);
  });

  it('starts a snapshot when the source does not keep that far back', async () => {
    relay();
    const first = consumer();
    await publish('one');
    await expect.poll(held).toEqual(['one']);
    await first.close();
    for (const text of texts(3)) await publish(text);
    await expect.poll(async () => (await streamed()).length).toBe(4);
    await source.query('DELETE FROM outbox WHERE seq < 4');
    await connection.flushall();
    consumer();
    await expect.poll(held).toEqual(['e0', 'e1', 'e2', 'one']);
  });

  it('F-18 is read by an index, and not sorted, however much has been left', async () => {
    await source.query(
      `INSERT INTO outbox (id, type, subject, payload, seq)
       SELECT gen_random_uuid(), 'note.saved', $1, '{}', seq FROM generate_series(1, 20000) AS seq`,
      [SUBJECT],
    );
    await source.query('ANALYZE outbox');
    const lines = await queryChecked(source, { 'QUERY PLAN': 'text' }, `EXPLAIN ${READ_AFTER}`, [100, 500]);
    const plan = lines.flatMap(Object.values).join('\n');
    expect(plan).toMatch(/Index Scan using outbox_\w+_seq_idx/);
    expect(plan).not.toMatch(/Sort\b(?! Key)/);
  });

  it('F-24 moves an event to dead letters that it can’t apply, and goes on', async () => {
    relay();
    const metrics = createMetrics('t');
    consumer({ metrics });
    await hasBegun();
    for (const text of ['a', POISON, 'b']) await publish(text);
    await expect.poll(held).toEqual(['a', 'b']);
    expect(await dead()).toEqual([
      { source: 'source', seq: 2, error: 'TypeError: cannot make sense of this' },
    ]);
    expect(await metrics.metrics()).toContain(
      'trellis_events_dead_letters_total{source="source",service="t"} 1',
    );
  });

  it('F-24 is not misled by events that come twice or in another order', async () => {
    relay();
    const event = (seq: number): SequencedEvent => ({
      seq,
      id: 'x',
      type: 'note.saved',
      subject: SUBJECT,
      payload: { text: `e${seq - 1}` },
      occurredAt: new Date(),
    });
    for (const text of texts(3)) await publish(text);
    await expect.poll(async () => (await streamed()).length).toBe(3);
    const batches = [[event(1), event(1)], [event(3), event(2)], [event(2), event(3)], [event(1)], []];
    const confused: EventStream = {
      ...stream,
      readAfter: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return (batches.shift() ?? []).map((one) => ({ ...one, complete: true }));
      },
    };
    await target.query("INSERT INTO event_cursor VALUES ('source', 0)");
    consumer({ stream: confused });
    await expect.poll(() => batches.length).toBe(0);
    expect([await held(), await dead()]).toEqual([texts(3), []]);
  });
});
