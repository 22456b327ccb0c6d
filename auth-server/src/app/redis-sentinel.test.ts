import { randomUUID } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { describeTestRedis, startSentinelRedis, type SentinelRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAttemptStore } from '../attempts/attempt-store.ts';
import { obtainTokens, postForm, refresh, tokensOf, type Tokens } from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

const hasRedisServer = describeTestRedis().startsWith('redis-server');
const reason = hasRedisServer ? '' : ' (skipped: there is no redis-server)';

describe.skipIf(!hasRedisServer)(`A Redis behind three Sentinels${reason}`, () => {
  let redis: SentinelRedis;
  let server: TestAuthServer;
  const connections: RedisConnection[] = [];
  const connect = (): RedisConnection => {
    const connection = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
    connections.push(connection);
    return connection;
  };
  beforeAll(async () => {
    redis = await startSentinelRedis();
    server = await startTestAuthServer({ REDIS_URL: redis.url });
  });
  afterAll(async () => {
    for (const connection of connections) connection.disconnect();
    await server.stop();
    await redis.stop();
  });

  /** Does something again until it succeeds. */
  async function untilDone<Result>(act: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await act();
      } catch {
        await pause();
      }
    }
  }

  /** Tries a refresh until it is answered with anything but 503; no try may wait for long. */
  async function refreshThrough({ refreshToken }: Tokens): Promise<Tokens> {
    for (;;) {
      const beganMs = Date.now();
      const response = await refresh(server.issuer, refreshToken, { client_id: 'lenient' });
      expect(Date.now() - beganMs).toBeLessThan(20_000); // several commands, each with two seconds
      if (response.status !== 503) return tokensOf(response);
      await pause();
    }
  }

  const losses = [
    ['changes places with a replica', () => redis.changePlaces()],
    ['is lost by kill -9', () => redis.killMaster()],
  ] as const;

  it.each(losses)('F-08 its master %s: refreshes, scripts and subscriptions go on', async (_title, lose) => {
    const [subscriber, commands] = [connect(), connect()];
    const heard: string[] = [];
    subscriber.on('message', (_channel: string, entry: string) => void heard.push(entry));
    await subscriber.subscribe('revocations');
    const attempts = createAttemptStore(commands);
    const limit = { failures: 2, windowS: 3_600 };
    const name = randomUUID();
    expect(await attempts.reserve(name, limit)).toBe(0);
    const first = await obtainTokens(server.issuer, { client_id: 'lenient' });
    await commands.call('WAIT', 1, 2_000); // a replica has it all

    await lose();
    const second = await refreshThrough(first);
    expect(await untilDone(() => attempts.reserve(name, limit))).toBe(0);
    expect(await attempts.reserve(name, limit)).toBeGreaterThan(0); // the first one was not forgotten
    // A revocation is published once: what is not subscribed again by then reads it from the store.
    const hears = async (): Promise<boolean> => {
      await commands.publish('revocations', 'a try').catch(() => 0);
      return heard.includes('a try');
    };
    await expect.poll(hears).toBe(true);
    await postForm(`${server.issuer}/revoke`, { token: second.refreshToken, client_id: 'lenient' });
    await expect.poll(() => heard).toContain(second.grantId);
  });
});

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
