import { randomBytes } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSealer } from '../secrets/sealing.ts';
import { createLinkStore, type LinkIssuer, type LinkStore } from './link-store.ts';

let server: TestRedis;
let redis: RedisConnection;
let links: LinkStore;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis({ url: server.url, name: 'test', onError: () => undefined });
  links = createLinkStore(redis, createSealer([randomBytes(32)]));
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

function reset(subject: string, issuer: LinkIssuer): Promise<string> {
  const link = {
    purpose: 'reset',
    subject,
    email: 'a@x.example',
    role: 'VIEWER',
    credentialsChangedAt: 1,
  } as const;
  return links.create(link, 60, issuer);
}

async function areLive(tokens: readonly string[]): Promise<readonly boolean[]> {
  return Promise.all(tokens.map(async (token) => (await links.find(token)) !== undefined));
}

describe('Links to reset a password', () => {
  it('L3: are not voided by requests for others, as often as anybody may within an hour', async () => {
    const own = await reset('ada', 'anybody');
    for (let asked = 0; asked < 15; asked += 1) await reset('ada', 'anybody');
    expect(await areLive([own])).toEqual([true]);
  });

  it('are bounded, the oldest goes', async () => {
    const tokens: string[] = [];
    for (let asked = 0; asked < 20; asked += 1) tokens.push(await reset('bo', 'anybody'));
    expect(await areLive(tokens)).toEqual(tokens.map((_, index) => index >= 4));
    expect((await redis.keys('link:*')).length).toBeLessThanOrEqual(2 * 16);
  });

  it('M1: are all void when one was used, or an administrator issues another', async () => {
    const asked = [await reset('cy', 'anybody'), await reset('cy', 'anybody')];
    const issued = await reset('cy', 'administrator');
    const later = await reset('cy', 'anybody');
    expect(await areLive([...asked, issued, later])).toEqual([false, false, true, true]);
    await links.end({ purpose: 'reset', subject: 'cy' });
    expect(await areLive([issued, later])).toEqual([false, false]);
  });
});
