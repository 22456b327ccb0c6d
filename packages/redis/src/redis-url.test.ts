import { describe, expect, it } from 'vitest';
import { parseRedisUrl, problemOfRedisUrl, redisAddresses } from './redis-url.ts';

const open = { username: undefined, password: undefined, isEncrypted: false };
const sentinel = {
  kind: 'sentinel',
  ...open,
  masterName: 'main',
  database: 0,
  sentinelUsername: undefined,
  sentinelPassword: undefined,
};

const understood: readonly (readonly [url: string, target: object])[] = [
  ['redis://a', { kind: 'server', url: 'redis://a' }],
  ['rediss://u:p@a:1/2', { kind: 'server', url: 'rediss://u:p@a:1/2' }],
  ['redis+sentinel://a/main', { ...sentinel, hosts: [{ host: 'a', port: 26_379 }] }],
  [
    'redis+sentinel://user:p%40s:s@a:1,B,[::1]:3/main/4?sentinelPassword=q%26r&sentinelUsername=s',
    {
      ...sentinel,
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26_379 },
        { host: '::1', port: 3 },
      ],
      username: 'user',
      password: 'p@s:s',
      database: 4,
      sentinelUsername: 's',
      sentinelPassword: 'q&r',
    },
  ],
  [
    'rediss+sentinel://:p@a/main/',
    { ...sentinel, hosts: [{ host: 'a', port: 26_379 }], password: 'p', isEncrypted: true },
  ],
  ['redis+cluster://a', { kind: 'cluster', ...open, hosts: [{ host: 'a', port: 6_379 }] }],
  [
    'rediss+cluster://u:p@a:1,b/0',
    {
      kind: 'cluster',
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 6_379 },
      ],
      username: 'u',
      password: 'p',
      isEncrypted: true,
    },
  ],
  [
    'redis://:p@a:1,redis://b',
    {
      kind: 'cluster',
      ...open,
      password: 'p',
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 6_379 },
      ],
    },
  ],
];

const rejected: readonly string[] = [
  '',
  'secret',
  'http://secret',
  'redis://',
  'redis://secret,',
  'redis://secret,other',
  'redis+sentinel://secret',
  'redis+sentinel://secret/',
  'redis+sentinel://secret,/main',
  'redis+sentinel://secret:65536/main',
  'redis+sentinel://secret:port/main',
  'redis+sentinel://secret/main/first',
  'redis+sentinel://u:secret@v:w@a/main',
  'redis+sentinel://a/main?password=secret',
  'redis+sentinel://u:secret%@a/main',
  'redis+cluster://secret/1',
  'redis+cluster://secret?db=1',
  'redis+cluster://',
  'redis-sentinel://secret/main',
];

describe('The URL of a Redis', () => {
  it.each(understood)('is understood: %s', (url, target) => {
    expect(parseRedisUrl(url)).toEqual(target);
    expect(problemOfRedisUrl(url)).toBeUndefined();
  });

  it.each(rejected)('is rejected with what it must be, and without what it is: %s', (url) => {
    const problem = problemOfRedisUrl(url);
    expect(problem).toMatch(/^must /);
    expect(problem).not.toContain('secret');
  });

  it('leads to the same Redis when an address is the same; Sentinels watch over several', () => {
    expect(redisAddresses('redis://A/3')).toEqual(['a:6379']);
    expect(redisAddresses('redis+cluster://a,b:1')).toEqual(redisAddresses('redis://a,redis://b:1'));
    expect(redisAddresses('redis+sentinel://a,b/main/2')).toEqual(['a:26379/main', 'b:26379/main']);
  });
});
