import { createLogger } from '@trellis/runtime';
import { createEventStream, type EventStream, type SequencedEvent } from '@trellis/events';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { freePort, startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '../ids.ts';
import { voidingKeptAnswers } from './kept-answers.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
let redis: TestRedis;
let connection: RedisConnection;
let stream: EventStream;
const away: RedisConnection[] = [];
beforeAll(async () => {
  redis = await startTestRedis();
  connection = connectRedis({ url: redis.url, name: 'test', onError: () => {} });
  stream = createEventStream({ redis: connection, service: 'kept' });
});
afterEach(async () => {
  for (const each of away.splice(0)) each.disconnect();
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

describe('What gateways keep', () => {
  it('is void by type and id before the event is told', async () => {
    let heardBefore = 0;
    const telling = voidingKeptAnswers(
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
    await telling.add([one, two]);
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
      'that its Redis is away',
      async () => {
        const url = `redis://127.0.0.1:${await freePort()}`;
        const unreachable = connectRedis({ url, name: 'test', onError: () => {} });
        away.push(unreachable);
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
  ])('keeps no event from being told, for all %s', async (_name, options) => {
    const telling = voidingKeptAnswers(stream, await options());
    await telling.add([event(1)]);
    await telling.add([event(2)]);
    expect([await stream.last(), await heard()]).toEqual([2, []]);
  });
});
