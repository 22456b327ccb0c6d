import { createEventStream } from '@trellis/events';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createActivityStream } from '@trellis/subgraph-protocol';
import { createId } from '@trellis/subgraph-kit';
import { describeTestRedis, freePort, startTestRedisCluster, type TestRedisCluster } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPresenceSet, PRESENCE_STREAM } from './presence-set.ts';

const hasRedisServer = describeTestRedis().startsWith('redis-server');
const reason = hasRedisServer ? '' : ' (skipped: there is no redis-server)';

describe.skipIf(!hasRedisServer)(
  `A Redis Cluster, which takes scripts on keys of one slot alone${reason}`,
  () => {
    let server: TestRedisCluster;
    let cluster: RedisConnection;
    beforeAll(async () => {
      server = await startTestRedisCluster();
      cluster = connectRedis({ url: server.url, name: 'test', onError: () => {} });
    });
    afterAll(async () => {
      cluster.disconnect();
      await server.stop();
    });

    it('carries presence, by both scripts, and its changes', async () => {
      const presence = createPresenceSet(cluster, 60_000);
      const userId = createId();
      expect(await presence.record([userId], new Date())).toBe(1);
      expect(await presence.list(10)).toMatchObject([{ userId }]);
      await expect.poll(() => createPresenceSet(cluster, 5).sweep(10)).toBe(1);
      const changes = createEventStream({ redis: cluster, service: PRESENCE_STREAM });
      expect(await changes.readAfter(cluster, 0, 10, 10)).toHaveLength(2);
    });

    it('carries events and activity', async () => {
      const events = createEventStream({ redis: cluster, service: 'users' });
      const [id, subject] = [createId(), createId()];
      const event = { id, subject, seq: 1, type: 'user.saved', payload: {}, occurredAt: new Date() };
      await events.add([event, { ...event, seq: 2 }]);
      expect([await events.first(), await events.last()]).toEqual([1, 2]);
      const activity = createActivityStream(cluster);
      await activity.add([subject]);
      expect(await activity.readAfter(cluster, 0, 10)).toMatchObject([{ userIds: [subject] }]);
    });

    it('is found to reject scripts on several slots', async () => {
      const twoSlots = cluster.eval('return redis.call("SET", KEYS[1], KEYS[2])', 2, 'a', 'b');
      await expect(twoSlots).rejects.toThrow(/slot/i);
    });

    it('that is lost fails commands in time', async () => {
      const lost = connectRedis({
        url: `redis+cluster://127.0.0.1:${await freePort()}`,
        name: 'test',
        commandTimeoutMs: 200,
        onError: () => {},
      });
      await expect(lost.get('a')).rejects.toThrow('timed out');
      lost.disconnect();
    });
  },
);
