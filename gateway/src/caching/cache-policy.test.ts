import { describe, expect, it } from 'vitest';
import { readCacheControl, strictest, UNRESTRICTED, writeCacheControl } from './cache-policy.ts';

describe('RFC 9111 §5.2.2 Cache-Control of a subgraph', () => {
  it.each<[string | undefined, number, boolean]>([
    [undefined, 0, false],
    ['', 0, false],
    ['max-age=30', 30, false],
    ['public, max-age=30', 30, false],
    ['Private , Max-Age="30"', 30, true],
    ['max-age=60, s-maxage=10', 10, false],
    ['no-store, max-age=30', 0, false],
    ['no-cache', 0, false],
    ['private="set-cookie", max-age=5', 5, true],
    ['max-age=-1', 0, false],
    ['max-age=1e9', 0, false],
    ['max-age', 0, false],
  ])('%s means %d s', (header, maxAgeS, isPrivate) => {
    expect(readCacheControl(header)).toEqual({ maxAgeS, isPrivate });
  });
});

describe('Cache-Control of a response', () => {
  it('is the strictest of what it is made of', () => {
    const policy = strictest({ maxAgeS: 30, isPrivate: false }, { maxAgeS: 5, isPrivate: true });
    expect(writeCacheControl(policy)).toBe('private, max-age=5');
  });

  it('is no-store where nothing says how long', () => {
    expect(writeCacheControl(UNRESTRICTED)).toBe('no-store');
    expect(writeCacheControl({ maxAgeS: 0, isPrivate: false })).toBe('no-store');
  });
});
