import { describe, expect, it } from 'vitest';
import { cacheRedisProblems, type NamedRedis } from './cache-redis-problems.ts';

const fit = { runIds: ['cache'], isBounded: true, isEvicting: true };
const signIn: NamedRedis = {
  url: 'redis://:secret@redis',
  instance: { runIds: ['sign-in'], isBounded: false, isEvicting: false },
};

const cases: readonly (readonly [
  title: string,
  cache: NamedRedis,
  ofSignIn: NamedRedis | undefined,
  problems: readonly RegExp[],
])[] = [
  ['an instance of its own', { url: 'redis://cache', instance: fit }, signIn, []],
  ['without one for sign-ins', { url: 'redis://redis', instance: fit }, undefined, []],
  [
    'the same by its run id',
    { url: 'redis://alias', instance: { ...fit, runIds: ['sign-in'] } },
    signIn,
    [/names the Redis of REDIS_URL/],
  ],
  [
    'the same by its address',
    { url: 'rediss://REDIS:6379', instance: fit },
    signIn,
    [/names the Redis of REDIS_URL/],
  ],
  [
    'another database of the same',
    { url: 'redis://redis/7', instance: fit },
    { ...signIn, instance: undefined },
    [/names the Redis of REDIS_URL/],
  ],
  [
    'one node in common',
    { url: 'redis://a:1,redis://b:2', instance: fit },
    { url: 'redis://b:2,redis://c:3', instance: undefined },
    [/names the Redis of REDIS_URL/],
  ],
  ['another port of the host', { url: 'redis://redis:6380', instance: fit }, signIn, []],
  ['no maxmemory', { url: 'redis://cache', instance: { ...fit, isBounded: false } }, signIn, [/no bound/]],
  ['noeviction', { url: 'redis://cache', instance: { ...fit, isEvicting: false } }, signIn, [/noeviction/]],
  ['the sign-in one itself', signIn, signIn, [/names the Redis of REDIS_URL/, /no bound/, /noeviction/]],
  ['INFO rejected', { url: 'redis://cache', instance: undefined }, signIn, [/does not answer INFO/]],
];

describe('G2: A Redis for what clients can have stored', () => {
  it.each(cases)('is judged: %s', (_title, cache, ofSignIn, problems) => {
    const found = cacheRedisProblems('CACHE_REDIS_URL', cache, ofSignIn);
    expect(found).toHaveLength(problems.length);
    problems.forEach((problem, index) => expect(found[index]).toMatch(problem));
    expect(found.join(' ')).not.toContain('secret');
  });
});
