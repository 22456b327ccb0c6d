import { describe, expect, it } from 'vitest';
import { readCount, readCursor } from './arguments.ts';

const bounds = { max: 100, defaultValue: 20 };

describe('readCount', () => {
  it.each([
    [0, 0],
    [100, 100],
    [null, 20],
    [undefined, 20],
  ])('reads %j as %j', (value, expected) => expect(readCount('first', value, bounds)).toBe(expected));

  it.each([-1, 101, 2_147_483_647, -2_147_483_648, Number.NaN])('rejects %d and names it', (value) => {
    expect(() => readCount('first', value, bounds)).toThrow(
      expect.objectContaining({
        extensions: { code: 'BAD_USER_INPUT', field: 'first', invalidValue: value },
      }),
    );
  });
});

describe('readCursor', () => {
  it('begins at the beginning without one', () => {
    expect([readCursor('after', null), readCursor('after', undefined)]).toEqual([undefined, undefined]);
  });

  it('takes a UUID v7 in either case', () => {
    expect(readCursor('after', '01941F29-7C00-7A00-8000-0000000000AD')).toBe(
      '01941f29-7c00-7a00-8000-0000000000ad',
    );
  });

  it.each([
    '',
    'x',
    '42',
    '3f2b8c1e-9d4a-4b7e-8f10-2a6c5d9e7b31',
    "01941f29-7c00-7a00-8000-0000000000ad' --",
  ])('S-099 rejects the tampered cursor %j and names it', (value) =>
    expect(() => readCursor('after', value)).toThrow(
      expect.objectContaining({
        extensions: { code: 'BAD_USER_INPUT', field: 'after', invalidValue: value },
      }),
    ),
  );
});
