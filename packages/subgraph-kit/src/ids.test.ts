import { describe, expect, it } from 'vitest';
import { createId, isTimeOrderedId, parseId, timeOfId } from './ids.ts';

describe('ids', () => {
  it('rise within a process, so that order is never ambiguous', () => {
    const ids = Array.from({ length: 10_000 }, createId);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('carry the time at which they were made', () => {
    const before = Date.now();
    const time = timeOfId(createId()).getTime();
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThan(before + 1_000);
  });

  it('are read in either case', () => {
    expect(parseId('01941F29-7C00-7A00-8000-0000000000AD')).toBe('01941f29-7c00-7a00-8000-0000000000ad');
  });

  it.each([
    '',
    '1',
    "' OR 1=1 --",
    '01941f29-7c00-7a00-8000-0000000000ad ',
    '01941f297c007a0080000000000000ad',
  ])('S-099 leave %j unread: a malformed id is an unknown id', (text) =>
    expect(parseId(text)).toBeUndefined(),
  );

  it('are distinguished from random UUIDs, which have no order in time', () => {
    expect(isTimeOrderedId(createId())).toBe(true);
    expect(isTimeOrderedId('3f2b8c1e-9d4a-4b7e-8f10-2a6c5d9e7b31')).toBe(false);
  });
});
