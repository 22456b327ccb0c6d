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

function reset(subject: string, issuer: LinkIssuer, credentialsChangedAt = 1): Promise<string> {
  const link = {
    purpose: 'reset',
    subject,
    email: 'a@x.example',
    role: 'VIEWER',
    credentialsChangedAt,
  } as const;
  return links.create(link, 60, issuer);
}

function signUp(name: string): Promise<string> {
  return links.create({ purpose: 'sign_up', email: 'b@x.example', name, role: 'VIEWER' }, 60, 'anybody');
}

/** Time passes for what is repeated: the next request brings another link. */
async function passRepetition(): Promise<void> {
  for (const key of await redis.keys('live-link:*:newest')) await redis.del(key);
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

  it('L3: are one link, however many ask at the same moment, in a burst, and all day', async () => {
    const own = await reset('di', 'anybody');
    const others = await Promise.all(Array.from({ length: 100 }, () => reset('di', 'anybody')));
    expect(new Set([own, ...others])).toHaveLength(1);
    for (let part = 1; part < 13; part += 1) {
      await passRepetition();
      for (let asked = 0; asked < 24; asked += 1) await reset('di', 'anybody');
    }
    expect(await areLive([own])).toEqual([true]);
  });

  it('L3: to sign up, with other names, are void for no one within a day of requests', async () => {
    const own = await signUp('Bo');
    for (let asked = 0; asked < 12 * 25; asked += 1) await signUp(`Bo ${asked}`);
    expect(await areLive([own])).toEqual([true]);
  });

  it('last no longer for being asked for again', async () => {
    const own = await reset('ed', 'anybody');
    await Promise.all((await redis.keys('link:*')).map((key) => redis.expire(key, 7)));
    expect(await reset('ed', 'anybody')).toBe(own);
    for (const key of await redis.keys('link:*')) expect(await redis.ttl(key)).toBeLessThanOrEqual(7);
  });

  it('are others after a use, an end and a change of the password', async () => {
    const first = await reset('flo', 'anybody');
    await links.end({ purpose: 'reset', subject: 'flo' });
    const second = await reset('flo', 'anybody');
    const third = await reset('flo', 'anybody', 2);
    expect(new Set([first, second, third])).toHaveLength(3);
    expect(await areLive([first, second, third])).toEqual([false, true, true]);
  });

  it('are bounded, the oldest goes', async () => {
    const tokens: string[] = [];
    for (let asked = 0; asked < 20; asked += 1) tokens.push(await reset('bo', 'anybody', asked));
    expect(await areLive(tokens)).toEqual(tokens.map((_, index) => index >= 4));
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
