import { setTimeout as pause } from 'node:timers/promises';
import { connectRedis } from '@trellis/redis';
import { createActivityStream } from '@trellis/subgraph-protocol';
import { canMirrorRedis, startMirroredRedis } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { createPresenceSet } from './presence-set.ts';

const WINDOW_MS = 2_000;
const USERS = ['01941f29-7c00-7a00-8000-000000000001', '01941f29-7c00-7a00-8000-000000000002'];

describe.skipIf(!canMirrorRedis())(
  'Redis 7 and the one of this process, asked for presence (needs redis-server)',
  () => {
    it('do the same on every script and command of users, as users come, stay and go', async () => {
      const mirror = await startMirroredRedis();
      const redis = connectRedis({ url: mirror.url, name: 'test', onError: () => undefined });
      const presence = createPresenceSet(redis, WINDOW_MS);
      const past = new Date(Date.now() - 60_000);
      expect(await presence.record(USERS, past)).toBe(0);
      expect(await presence.record(USERS.slice(0, 1), new Date())).toBe(1);
      expect(await presence.record(USERS, new Date())).toBe(1);
      expect(await presence.list(10)).toHaveLength(2);
      expect(await presence.sweep(10)).toBe(0);
      await pause(WINDOW_MS + 500); // both have seen them go: each goes by a clock of its own
      expect(await presence.sweep(10)).toBe(2);
      const activity = createActivityStream(redis);
      await activity.add(USERS);
      expect(await activity.readAfter(redis, 0, 10)).toHaveLength(1);
      expect(await activity.readAfter(redis, Date.now() + 60_000, 10)).toEqual([]);
      await mirror.settled();
      redis.disconnect();
      expect(mirror.differences).toEqual([]);
      expect(mirror.notCompared(['services', 'packages/subgraph-protocol'])).toEqual([]);
      await mirror.stop();
    });
  },
);
