import { setTimeout as wait } from 'node:timers/promises';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis } from '@trellis/testkit';
import { expect, it } from 'vitest';
import { until } from '../testing/until.ts';
import { exchangeThroughRedis, type TrialExchange, type TrialMessage } from './trial-exchange.ts';

const MESSAGE: TrialMessage = {
  variant: 'canary',
  release: 'a'.repeat(64),
  events: [['failed', 'canary', 7, 9]],
  isStopped: false,
};

it('A process takes the counts of others from a Redis that was not available when it began', async () => {
  const redis = await startTestRedis();
  const taken: TrialMessage[] = [];
  const connect = (): RedisConnection =>
    connectRedis({ url: redis.url, name: 'test', onError: () => undefined, commandTimeoutMs: 100 });
  const open = (self: string): TrialExchange =>
    exchangeThroughRedis(
      { publisher: connect(), subscriber: connect() },
      'library@production',
      self,
      (message) => void taken.push(message),
    );
  const exchanges: TrialExchange[] = [];
  try {
    await redis.restart(async () => {
      exchanges.push(open('first'));
      await wait(300); // what it sent has failed by then
    });
    const second = open('second');
    exchanges.push(second);
    await until(() => {
      second.send(MESSAGE);
      return taken.length > 0;
    });
    expect(taken[0]).toEqual(MESSAGE);
  } finally {
    exchanges.forEach((exchange) => exchange.close());
    await redis.stop();
  }
});
