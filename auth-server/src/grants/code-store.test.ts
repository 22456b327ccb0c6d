import { createHash } from 'node:crypto';
import { connectRedis } from '@trellis/redis';
import { describe, expect, it } from 'vitest';
import { createPkce, obtainCode } from '../testing/flow.ts';
import { startTestAuthServer } from '../testing/test-auth-server.ts';

describe('What is stored of an authorization code', () => {
  it('A-053 A-119 is the hash of its secret, for 600 s', async () => {
    const server = await startTestAuthServer();
    const redis = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
    try {
      const code = await obtainCode(server.issuer, createPkce());
      const secret = code.slice(-43);
      const [key = ''] = await redis.keys('code:*');
      const record = await redis.get(key);
      expect(record).toContain(createHash('sha256').update(secret).digest('base64url'));
      expect(`${key} ${record}`).not.toContain(secret);
      expect(await redis.ttl(key)).toBeGreaterThan(500);
      expect(await redis.ttl(key)).toBeLessThanOrEqual(600);
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });
});
