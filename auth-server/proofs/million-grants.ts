import { randomBytes, randomUUID } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, proof } from '@trellis/testkit';
import { createAccountGrantStore } from '../src/grants/account-grant-store.ts';
import { createSealer } from '../src/secrets/sealing.ts';
import { createGrantStore } from '../src/grants/grant-store.ts';
import { newGrantId } from '../src/tokens/grant-code.ts';
import { randomToken } from '../src/secrets/secrets.ts';

const MILLION = 1_000_000;
const LIMIT_MB = 800;
const AT_ONCE = 500;
const DAY_S = 86_400;

/** Saves grants, each with its place in the list of its account, and asks Redis what they take. */
proof({
  name: 'million-grants',
  description: 'One million live grants, each of an account of its own, take at most 800 MB of Redis.',
  run: async ({ size }) => {
    const server = await startTestRedis();
    const redis = connectRedis({
      url: server.url,
      name: 'proof',
      onError: () => undefined,
      gatherWrites: true,
    });
    try {
      const grants = size === 'full' ? MILLION : 20_000;
      const before = await usedBytes(redis);
      if (before === undefined)
        return { passed: true, figures: { skipped: 'the in-process Redis reports no memory' } };
      await saveGrants(redis, grants);
      const bytesPerGrant = ((await usedBytes(redis)) ?? 0) / grants - before / grants;
      const megabytesPerMillion = (bytesPerGrant * MILLION) / 1_048_576;
      return {
        figures: {
          grants,
          bytesPerGrant: Math.round(bytesPerGrant),
          megabytesPerMillion: Math.round(megabytesPerMillion),
        },
        passed: megabytesPerMillion <= LIMIT_MB,
      };
    } finally {
      redis.disconnect();
      await server.stop();
    }
  },
});

async function saveGrants(redis: RedisConnection, count: number): Promise<void> {
  const grants = createGrantStore(redis, createSealer([randomBytes(32)]), 960);
  const accountGrants = createAccountGrantStore(redis);
  const now = Math.floor(Date.now() / 1000);
  const saveOne = async (): Promise<void> => {
    const [grantId, subject] = [newGrantId(), randomUUID()];
    const grant = {
      clientId: 'a-client-of-usual-length',
      clientIncarnation: randomToken(6),
      subject,
      scopes: ['openid', 'profile', 'email', 'read:data', 'read:profile', 'write:data'],
      audience: 'https://api.example.com/graphql',
      authenticatedAt: now * 1000,
      sessionId: randomToken(16),
      ofDevice: false,
      createdAt: now,
      expiresAt: now + 90 * DAY_S,
    };
    await accountGrants.add(
      subject,
      { grantId, clientId: grant.clientId, expiresAt: grant.expiresAt },
      now,
      200,
    );
    await grants.save(grantId, grant, 30 * DAY_S);
  };
  for (let saved = 0; saved < count; saved += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - saved) }, saveOne));
}

/** Undefined where the server does not report it. */
async function usedBytes(redis: RedisConnection): Promise<number | undefined> {
  const text = await redis.info('memory').catch(() => '');
  const [, bytes] = /^used_memory:(\d+)/m.exec(text) ?? [];
  return bytes === undefined ? undefined : Number(bytes);
}
