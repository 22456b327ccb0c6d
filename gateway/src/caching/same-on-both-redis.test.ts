import { createHash } from 'node:crypto';
import { ShareBuckets } from '@trellis/runtime/admission';
import { connectRedis } from '@trellis/redis';
import { canMirrorRedis, startMirroredRedis } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { startRevocationFeed } from '../identity/revocation-feed.ts';
import { createUsedProofs } from '../identity/used-proofs.ts';
import { Invalidations } from '../response-cache/invalidations.ts';
import { ResponseCache, type CachedQuery } from '../response-cache/response-cache.ts';
import { createSharedPersistedQueryStore } from './persisted-query-store.ts';
import { describeRedis } from './redis-instance.ts';

describe.skipIf(!canMirrorRedis())(
  'Redis 7 and the one of this process, asked by a gateway (needs redis-server)',
  () => {
    it('do the same on every command of the gateway', async () => {
      const mirror = await startMirroredRedis();
      const connect = () => connectRedis({ url: mirror.url, name: 'test', onError: () => undefined });
      const [connection, subscriber] = [connect(), connect()];
      const redis = { connection, isUsable: true };
      const onError = (error: Error): never => {
        throw error;
      };

      const text = '{ me { id } }';
      const hash = createHash('sha256').update(text).digest('hex');
      const bounds = { memoryBytes: 1_000_000, textBytes: 16_384, lifetimeS: 60 };
      const share = () =>
        createSharedPersistedQueryStore({
          ...bounds,
          redis,
          outages: { failed: onError, succeeded: () => undefined },
        });
      expect(await share().get(hash)).toBeUndefined();
      share().set(hash, text);
      expect(await share().get(hash)).toBe(text);

      const proofs = () => createUsedProofs({ redis, lifetimeS: 60 });
      expect([await proofs().markUsed('p'), await proofs().markUsed('p')]).toEqual([true, false]);

      const invalidations = new Invalidations(connection);
      await invalidations.catchUp();
      await invalidations.publish([{ type: 'Post', id: '1' }]);
      await invalidations.catchUp();

      const shares = new ShareBuckets({ amounts: [1_000], windowMs: 60_000 });
      const responses = new ResponseCache({ redis, shares, observer: { lookup: () => undefined } });
      const { signal } = new AbortController();
      const query = { key: 'k', writer: undefined, signal } as CachedQuery; // all that is read of one whose execution fails
      await expect(responses.response(query, () => Promise.reject(new Error('failed')))).rejects.toThrow(
        'failed',
      );

      const feed = await startRevocationFeed({ redis: connection, subscriber, onError });
      expect((await describeRedis(connection)).runIds).toHaveLength(1);
      await feed.close();
      await mirror.settled();
      connection.disconnect();
      expect(mirror.differences).toEqual([]);
      expect(mirror.notCompared(['gateway', 'packages/runtime'])).toEqual([]);
      await mirror.stop();
    });
  },
);
