import { setTimeout as wait } from 'node:timers/promises';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { observeOutages } from '@trellis/runtime/outage-log';
import { startTestRedis, until } from '@trellis/testkit';
import { expect, it, vi } from 'vitest';
import {
  exchangeThroughPrimary,
  exchangeThroughRedis,
  type TrialExchange,
  type TrialMessage,
} from './trial-exchange.ts';

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
  const outages: string[] = [];
  const failures = observeOutages({
    begins: () => void outages.push('begins'),
    ends: () => void outages.push('ends'),
  });
  const open = (self: string): TrialExchange =>
    exchangeThroughRedis(
      { publisher: connect(), subscriber: connect(), failures },
      'library@production',
      self,
      (message) => void taken.push(message),
    );
  const exchanges: TrialExchange[] = [];
  try {
    await redis.restart(async () => {
      const first = open('first');
      exchanges.push(first);
      first.send(MESSAGE);
      first.send(MESSAGE);
      await wait(300); // what it sent has failed by then
    });
    const second = open('second');
    exchanges.push(second);
    await until(() => {
      second.send(MESSAGE);
      return taken.length > 0;
    });
    expect(taken[0]).toEqual(MESSAGE);
    expect(outages.slice(0, 2)).toEqual(['begins', 'ends']); // a busy Redis may have another
  } finally {
    exchanges.forEach((exchange) => exchange.close());
    await redis.stop();
  }
});

it('A worker takes what others say of the canaries of its own log alone', () => {
  const taken: string[] = [];
  const send = vi.fn();
  const { send: sendBefore } = process;
  process.send = send;
  const logs = ['library@staging', 'library@production', 'library@production'];
  const exchanges = logs.map((log, index) =>
    exchangeThroughPrimary(log, String(index), () => void taken.push(`${index}: ${log}`)),
  );
  try {
    for (const exchange of exchanges.slice(0, 2)) exchange.send({ ...MESSAGE, isStopped: true });
    for (const [relayed] of send.mock.calls) process.emit('message', relayed, undefined);
    expect(taken).toEqual(['2: library@production']);
  } finally {
    exchanges.forEach((exchange) => exchange.close());
    if (sendBefore) process.send = sendBefore;
    else delete process.send;
  }
});
