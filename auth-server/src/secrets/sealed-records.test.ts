import { randomBytes } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSealer, type Sealer } from './sealing.ts';
import { newGrantId } from '../tokens/grant-code.ts';
import { createCodeStore } from '../grants/code-store.ts';
import { createDeviceStore } from '../grants/device-store.ts';
import { createGrantStore } from '../grants/grant-store.ts';
import { createLinkStore } from '../accounts/link-store.ts';
import { createPushedRequestStore } from '../authorize/pushed-request-store.ts';
import { createSessionStore } from '../accounts/session-store.ts';

const NOW = 1_800_000_000_000;
const sealer = createSealer([randomBytes(32)]);

let server: TestRedis;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis({ url: server.url, name: 'test', onError: () => undefined });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  for (const key of await redis.keys('*')) await redis.del(key);
});

const grant = {
  clientId: 'client',
  clientIncarnation: 'first',
  subject: 'ada:1',
  scopes: ['openid'],
  audience: 'https://api.example',
  authenticatedAt: NOW,
  sessionId: 'session',
  ofDevice: false,
  createdAt: NOW / 1000,
  expiresAt: NOW / 1000 + 1_000,
};

/** A record that grants something: how it comes to be, and what a server reads of it. */
interface Kind {
  /** The part of the key before the colon. */
  readonly prefix: string;
  /** @returns reads what was made, under the same name or by another key's */
  readonly make: (redis: RedisConnection, sealer: Sealer) => Promise<(by: Sealer) => Promise<unknown>>;
}

const kinds: readonly Kind[] = [
  {
    prefix: 'session',
    make: async (connection, own) => {
      const lifetimes = { idleTtlS: 100, ttlS: 1_000 };
      const session = { sessionId: 's', subject: 'ada:1', authenticatedAt: NOW };
      const cookie = await createSessionStore(connection, own, lifetimes).save(session);
      return (by) => createSessionStore(connection, by, lifetimes).touch(cookie, NOW);
    },
  },
  {
    prefix: 'link',
    make: async (connection, own) => {
      const link = { purpose: 'invitation', email: 'a@x.example', name: 'A', role: 'ADMIN' } as const;
      const token = await createLinkStore(connection, own).create(link, 60, 'administrator');
      return (by) => createLinkStore(connection, by).find(token);
    },
  },
  {
    prefix: 'pushed',
    make: async (connection, own) => {
      const request = { clientId: 'client', parameters: [['scope', 'openid']] as const };
      const id = await createPushedRequestStore(connection, own, 60).save(request);
      return (by) => createPushedRequestStore(connection, by, 60).find(id);
    },
  },
  {
    prefix: 'code',
    make: async (connection, own) => {
      const grantId = newGrantId();
      const contents = { ...grant, redirectUri: 'https://x.example', codeChallenge: 'c', issuedAt: 1 };
      await createCodeStore(connection, own, 960).save(grantId, { secretHash: 'hash', contents }, 60);
      return (by) => createCodeStore(connection, by, 960).find(grantId);
    },
  },
  {
    prefix: 'grant',
    make: async (connection, own) => {
      const grantId = newGrantId();
      await createGrantStore(connection, own, 960).save(grantId, grant, 60);
      return (by) => createGrantStore(connection, by, 960).find(grantId);
    },
  },
  {
    prefix: 'user-code',
    make: async (connection, own) => {
      await saveDevice(connection, own, newGrantId(), 'BBBBCCCC', 'hash');
      return (by) => createDeviceStore(connection, by).findPending('BBBBCCCC');
    },
  },
  {
    prefix: 'device',
    make: async (connection, own) => {
      await saveDevice(connection, own, newGrantId(), 'BBBBCCCC', 'hash');
      return (by) => createDeviceStore(connection, by).findPending('BBBBCCCC');
    },
  },
];

describe.each(kinds)('H4: a $prefix in Redis', ({ prefix, make }) => {
  const keyOf = async (): Promise<string> => (await redis.keys(`${prefix}:*`))[0] ?? '';

  it('is trusted when this server has written it', async () => {
    expect(await (await make(redis, sealer))(sealer)).toBeDefined();
  });

  it('is not trusted when it was written under another secret', async () => {
    expect(await (await make(redis, createSealer([randomBytes(32)])))(sealer)).toBeUndefined();
  });

  it('is not trusted in the clear, as an attacker would write it to Redis', async () => {
    const open: Sealer = {
      seal: (text) => text,
      open: (text) => text,
      unseal: (text) => ({ text, isOutdated: false }),
    };
    const read = await make(redis, open);
    expect(await read(open)).toBeDefined();
    expect(await read(sealer)).toBeUndefined();
  });

  it('is not trusted when it was copied from another key of its kind', async () => {
    await make(redis, sealer);
    const copied = (await redis.get(await keyOf())) ?? '';
    for (const key of await redis.keys('*')) await redis.del(key);
    const read = await make(redis, sealer);
    const key = await keyOf();
    if ((await redis.get(key)) === copied) throw new Error('Both records are the same.');
    if (prefix === 'user-code') await redis.rename(key, 'user-code:{CCCCDDDD}');
    else await redis.set(key, copied);
    const isRead =
      prefix === 'user-code' ? createDeviceStore(redis, sealer).findPending('CCCCDDDD') : read(sealer);
    expect(await isRead).toBeUndefined();
  });

  it('shows nothing of what it stands for', async () => {
    await make(redis, sealer);
    const record = await redis.get(await keyOf());
    for (const secret of ['ada:1', 'openid', 'ADMIN', 'a@x.example']) expect(record).not.toContain(secret);
  });
});

describe('H4: a code, grant or device whose clear part was changed', () => {
  it('is not exchanged by a secret that an attacker has chosen', async () => {
    const codes = createCodeStore(redis, sealer, 960);
    const contents = { ...grant, redirectUri: 'https://x.example', codeChallenge: 'c', issuedAt: 1 };
    await codes.save('g', { secretHash: 'hash', contents }, 60);
    await replace('code:{g}', '\nhash\n', '\nof-the-attacker\n');
    expect((await codes.find('g'))?.secretHash).toBe('hash'); // what the exchange compares
  });

  it('begins no grant that lay beside another code', async () => {
    const codes = createCodeStore(redis, sealer, 960);
    const contents = { ...grant, redirectUri: 'https://x.example', codeChallenge: 'c', issuedAt: 1 };
    for (const id of ['own', 'victim']) await codes.save(id, { secretHash: 'hash', contents, grant }, 60);
    const grantBeside = async (id: string): Promise<string> =>
      (await redis.get(`code:{${id}}`))?.split('\n')[3] ?? expect.fail('it lies there');
    await replace('code:{own}', await grantBeside('own'), await grantBeside('victim'));
    const consumption = { grantId: 'own', secretHash: 'hash', grant: undefined, idleTtlS: 60, now: 1 };
    expect(await codes.consume(consumption)).toBe('consumed');
    expect(await createGrantStore(redis, sealer, 960).find('own')).toBeUndefined();
  });

  it('gives a device nothing that was allowed to another', async () => {
    const devices = createDeviceStore(redis, sealer);
    await saveDevice(redis, sealer, 'victim', 'BBBBCCCC', 'hash');
    expect(await devices.allow('victim', grant)).toBe(true);
    const poll = {
      grantId: 'victim',
      clientId: 'client',
      keyThumbprint: undefined,
      now: NOW + 60_000,
      idleTtlS: 60,
    };
    await replace('device:{victim}', '\nhash\n', '\nof-the-attacker\n');
    expect(await devices.poll({ ...poll, secretHash: 'of-the-attacker' })).toEqual({ kind: 'unknown' });
    await replace('device:{victim}', '\nof-the-attacker\nclient\n', '\nhash\nother\n');
    expect(await devices.poll({ ...poll, secretHash: 'hash', clientId: 'other' })).toEqual({
      kind: 'unknown',
    });
    await replace('device:{victim}', '\nother\n', '\nclient\n');
    expect(await devices.poll({ ...poll, secretHash: 'hash' })).toEqual({ kind: 'allowed', grant });
  });

  it('gives a device nothing that no user has allowed', async () => {
    const devices = createDeviceStore(redis, sealer);
    await saveDevice(redis, sealer, 'g', 'BBBBCCCC', 'hash');
    await replace('device:{g}', 'pending\n', 'allowed\n');
    const poll = { grantId: 'g', secretHash: 'hash', clientId: 'client', keyThumbprint: undefined };
    expect(await devices.poll({ ...poll, now: NOW + 60_000, idleTtlS: 60 })).toEqual({ kind: 'unknown' });
    expect(await redis.exists('grant:{g}')).toBe(0);
  });

  it('ends when its sealed part says so', async () => {
    const grants = createGrantStore(redis, sealer, 960);
    await grants.save('g', grant, 60);
    await redis.persist('grant:{g}');
    const request = { grantId: 'g', generation: 1, now: grant.expiresAt, idleTtlS: 60, leewayS: 0 };
    const found = (await grants.find('g')) ?? expect.fail('the grant exists');
    expect(await grants.rotate({ ...request, grant: found })).toEqual({ kind: 'gone' });
  });

  async function replace(key: string, from: string, to: string): Promise<void> {
    const record = (await redis.get(key)) ?? '';
    expect(record).toContain(from);
    await redis.set(key, record.replace(from, to));
  }
});

function saveDevice(
  connection: RedisConnection,
  own: Sealer,
  grantId: string,
  userCode: string,
  secretHash: string,
): Promise<void> {
  const request = {
    clientId: 'client',
    clientIncarnation: 'first',
    scopes: ['openid'],
    audience: 'https://api.example',
  };
  const device = { grantId, userCode, secretHash, request, now: NOW, lifetimeS: 600, intervalS: 5 };
  return createDeviceStore(connection, own).save(device);
}
