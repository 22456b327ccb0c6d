import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { generateSecrets } from 'trellis/generate-secrets';
import { hasRedisServer, redisUsers, startGuardedRedis, type GuardedRedis } from './guarded-redis.ts';

type Command = readonly [name: string, ...args: string[]];

const session: Command = ['SET', 'session:{x}', '{}'];
const everything: readonly Command[] = [
  ['KEYS', '*'],
  ['SCAN', '0'],
  ['FLUSHALL'],
  ['CONFIG', 'GET', 'requirepass'],
  ['CONFIG', 'SET', 'dir', '/'],
  ['ACL', 'LIST'],
  ['CLIENT', 'LIST'],
  ['MONITOR'],
  ['REPLICAOF', '127.0.0.1', '1'],
  ['MODULE', 'LIST'],
  ['SAVE'],
  ['SHUTDOWN', 'NOSAVE'],
];
const ofSignIn: readonly Command[] = [
  session,
  ['GET', 'session:{x}'],
  ['GET', 'grant:{x}'],
  ['GET', 'code:{x}'],
  ['GET', 'link:{x}'],
  ['DEL', 'revoked:{x}'],
  ['ZADD', 'revocations', '1', 'x'],
  ['DEL', 'revocations'],
  ['PUBLISH', 'revocations', 'x'],
  ['EVAL', "return redis.call('GET', KEYS[1])", '1', 'session:{x}'],
];
const streamOf = (service: string): string => `trellis:{events:${service}}:stream`;
const add = (key: string): Command => ['XADD', key, '*', 'a', 'b'];
const announceOf = (service: string): Command => ['PUBLISH', `trellis:{events:${service}}:writers`, 'x'];
const hearOf = (service: string): Command => ['SUBSCRIBE', `trellis:{events:${service}}:writers`];
const read = (key: string): Command => ['XRANGE', key, '-', '+'];

/** What each user may do, one command for each kind of thing, and what it may not. */
const rights: Readonly<
  Record<string, { readonly may: readonly Command[]; readonly mayNot: readonly Command[] }>
> = {
  gateway: {
    may: [
      ['PING'],
      ['INFO'],
      ['ZRANGEBYSCORE', 'revocations', '0', '+inf', 'WITHSCORES'],
      ['SUBSCRIBE', 'revocations'],
      add('trellis:{activity}:stream'),
    ],
    mayNot: [
      ...everything,
      ...ofSignIn,
      read('trellis:{activity}:stream'),
      add(streamOf('posts')),
      ['SUBSCRIBE', 'other'],
      ['SET', 'anything', 'x'],
    ],
  },
  'auth-server': {
    may: [
      ...ofSignIn,
      ['WAIT', '0', '1'],
      ['ZREMRANGEBYSCORE', 'revocations', '-inf', '0'],
      ['SADD', 'session-clients:{x}', 'y'],
    ],
    mayNot: [
      ...everything,
      add(streamOf('posts')),
      read(streamOf('users')),
      add('trellis:{activity}:stream'),
      ['SET', 'x', 'y'],
    ],
  },
  users: {
    may: [
      add(streamOf('users')),
      read(streamOf('users')),
      add(streamOf('presence')),
      ['ZADD', 'trellis:{events:presence}:seen', '1', 'x'],
      ['XREAD', 'STREAMS', 'trellis:{activity}:stream', '0'],
    ],
    mayNot: [
      ...everything,
      ...ofSignIn,
      add('trellis:{activity}:stream'),
      add(streamOf('posts')),
      read(streamOf('posts')),
    ],
  },
  posts: {
    may: [
      add(streamOf('posts')),
      read(streamOf('posts')),
      ['DEL', streamOf('posts')],
      announceOf('posts'),
      hearOf('posts'),
    ],
    mayNot: [
      ...everything,
      ...ofSignIn,
      add(streamOf('users')),
      read(streamOf('comments')),
      announceOf('comments'),
      hearOf('comments'),
      ['GET', 'x'],
    ],
  },
  comments: {
    may: [add(streamOf('comments')), read(streamOf('posts'))],
    mayNot: [
      ...everything,
      ...ofSignIn,
      add(streamOf('posts')),
      ['DEL', streamOf('posts')],
      read(streamOf('users')),
    ],
  },
  search: {
    may: [read(streamOf('users')), read(streamOf('posts')), read(streamOf('comments'))],
    mayNot: [
      ...everything,
      ...ofSignIn,
      add(streamOf('users')),
      add(streamOf('search')),
      ['DEL', streamOf('posts')],
    ],
  },
};

describe.skipIf(!hasRedisServer())('H4: users of Redis (skipped where there is no redis-server)', () => {
  let state: GuardedRedis;
  let cache: GuardedRedis;
  beforeAll(async () => {
    [state, cache] = await Promise.all([startGuardedRedis('state'), startGuardedRedis('cache')]);
  });
  afterAll(() => Promise.all([state.stop(), cache.stop()]));

  describe.each(Object.entries(rights))('%s', (user, { may, mayNot }) => {
    it('may do what the service needs', async () => {
      await withUser(state.urlOf(user), async (redis) => {
        for (const command of may)
          expect([command, await rejectionOf(redis, command)]).toEqual([command, undefined]);
      });
    });

    it('may do nothing else', async () => {
      await withUser(state.urlOf(user), async (redis) => {
        for (const command of mayNot)
          expect([command, await rejectionOf(redis, command)]).toEqual([
            command,
            expect.stringMatching(/^NOPERM/),
          ]);
      });
    });

    it('is let in with its own password alone', async () => {
      const url = new URL(state.urlOf(user));
      url.password = new URL(state.urlOf('operator')).password;
      await expect(withUser(url.href, (redis) => redis.ping())).rejects.toThrow();
    });
  });

  it('let no client in without a name', async () => {
    const { host } = new URL(state.urlOf('operator'));
    await expect(withUser(`redis://${host}`, (redis) => redis.get('x'))).rejects.toThrow();
    await expect(withUser(`redis://${host}`, (redis) => redis.ping())).rejects.toThrow();
  });

  it('let a health check ask, and nothing else', async () => {
    const url = new URL(state.urlOf('operator'));
    [url.username, url.password] = ['health', 'none'];
    await withUser(url.href, async (redis) => {
      expect(await redis.ping()).toBe('PONG');
      for (const command of [...everything, ...ofSignIn, ['INFO'] as const])
        expect(await rejectionOf(redis, command)).toMatch(/^NOPERM/);
    });
  });

  it('of the caches are the gateway and the operator', async () => {
    await withUser(cache.urlOf('gateway'), async (redis) => {
      for (const command of [['SET', 'apq:x', 'y'], ['INFO'], ['EVAL', 'return 1', '0']] as const)
        expect(await rejectionOf(redis, command)).toBeUndefined();
      for (const command of everything) expect(await rejectionOf(redis, command)).toMatch(/^NOPERM/);
    });
  });
});

describe('The ACL file', () => {
  it('holds no password', async () => {
    const secrets = await generateSecrets();
    for (const kind of ['state', 'cache'] as const) {
      const text = redisUsers(kind, secrets);
      for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    }
  });

  it('is not written without every password', async () => {
    const { POSTS_REDIS_PASSWORD: _missing, ...others } = await generateSecrets();
    expect(() => redisUsers('state', others)).toThrow('POSTS_REDIS_PASSWORD');
  });

  it('gives the auth-server the kinds of keys that its code has, and no others', async () => {
    const line = redisUsers('state', await generateSecrets())
      .split('\n')
      .find((text) => text.includes(' auth-server '));
    const granted = [...(line ?? '').matchAll(/~([a-z-]+):\{\*/g)].map(([, kind = '']) => kind);
    expect(granted.toSorted()).toEqual(kindsOfKeys(join(repository, 'auth-server/src')));
  });
});

/** Kinds of keys whose records grant nothing: names of what to end, counts, and what was used, seen or revoked. */
const GRANTING_NOTHING =
  `account-grants account-sessions assertion attempts live-link pushed-used revoked revoked-before
  session-clients session-grants session-seen transaction-answered`.split(/\s+/);

describe('H4: a kind of key of the auth-server', () => {
  const source = join(repository, 'auth-server/src');
  const test = readFileSync(join(source, 'secrets/sealed-records.test.ts'), 'utf8');

  it('is either tested for its seal, or among those that grant nothing', () => {
    const sealed = [...test.matchAll(/^ {4}prefix: '([a-z-]+)',$/gm)].map(([, kind = '']) => kind);
    expect([...sealed, ...GRANTING_NOTHING].toSorted()).toEqual(kindsOfKeys(source));
  });
});

/** The beginnings of keys in templates such as `session:{${hash}}`. */
function kindsOfKeys(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing'),
  );
  const kinds = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/`([a-z-]+):\{\$\{/g)].map(([, kind = '']) => kind),
  );
  return [...new Set(kinds)].toSorted();
}

/** @throws what Redis says when it does not let the user in */
async function withUser<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, enableReadyCheck: false });
  redis.on('error', () => undefined); // the commands fail with the reason
  try {
    await redis.connect();
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function rejectionOf(redis: Redis, [name, ...args]: Command): Promise<string | undefined> {
  // A connection that has subscribed can't do much else.
  const connection = name === 'SUBSCRIBE' || name === 'MONITOR' ? redis.duplicate() : redis;
  if (connection !== redis) connection.on('error', () => undefined);
  try {
    await (name === 'MONITOR' ? connection.monitor() : connection.call(name, ...args));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    if (connection !== redis) connection.disconnect();
  }
}
