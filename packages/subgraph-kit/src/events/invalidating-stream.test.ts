import { createLogger } from '@trellis/runtime';
import { createEventStream, type EventStream, type SequencedEvent } from '@trellis/events';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { freePort, startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '../ids.ts';
import { createInvalidatingStream } from './invalidating-stream.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
let redis: TestRedis;
let connection: RedisConnection;
let stream: EventStream;
const unavailable: RedisConnection[] = [];
beforeAll(async () => {
  redis = await startTestRedis();
  connection = connectRedis({ url: redis.url, name: 'test', onError: () => {} });
  stream = createEventStream({ redis: connection, service: 'invalidating' });
});
afterEach(async () => {
  for (const each of unavailable.splice(0)) each.disconnect();
  await connection.flushall();
});
afterAll(async () => {
  connection.disconnect();
  await redis.stop();
});

const event = (seq: number): SequencedEvent => ({
  seq,
  id: createId(),
  type: 'thing.saved',
  subject: createId(),
  payload: {},
  occurredAt: new Date(),
});
const changesOf = ({ subject }: SequencedEvent) => [
  { type: 'Thing', id: subject },
  { type: 'Box', id: `box of ${subject}` },
];
const heard = async () =>
  (await connection.xrange('response-cache:invalidations', '-', '+')).map(([, fields]) => fields);

describe('What gateways cache', () => {
  it('is invalidated by type and id before the event is published', async () => {
    let heardBefore = 0;
    const invalidating = createInvalidatingStream(
      {
        ...stream,
        add: async (events) => {
          heardBefore = (await heard()).length;
          await stream.add(events);
        },
      },
      { redis: connection, changesOf, logger },
    );
    const [one, two] = [event(1), event(2)];
    await invalidating.add([one, two]);
    expect(await heard()).toEqual(
      [one, two].flatMap(({ subject }) => [
        ['type', 'Thing', 'id', subject],
        ['type', 'Box', 'id', `box of ${subject}`],
      ]),
    );
    expect([heardBefore, await stream.last()]).toEqual([4, 2]);
  });

  it.each([
    [
      'that its Redis is unavailable',
      async () => {
        const url = `redis://127.0.0.1:${await freePort()}`;
        const unreachable = connectRedis({ url, name: 'test', onError: () => {} });
        unavailable.push(unreachable);
        return { redis: unreachable, changesOf, logger };
      },
    ],
    [
      'that an event makes no sense',
      () =>
        Promise.resolve({
          redis: connection,
          changesOf: () => {
            throw new TypeError('cannot make sense of this');
          },
          logger,
        }),
    ],
  ])('prevents no event from being published, for all %s', async (_name, options) => {
    const invalidating = createInvalidatingStream(stream, await options());
    await invalidating.add([event(1)]);
    await invalidating.add([event(2)]);
    expect([await stream.last(), await heard()]).toEqual([2, []]);
  });
});
