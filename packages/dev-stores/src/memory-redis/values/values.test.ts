import { describe, expect, it } from 'vitest';
import { formatDouble, parseDouble } from './double.ts';
import { matchesGlob } from './glob.ts';
import { addIntegers, multiplyIntegers, parseInteger } from './integer.ts';

describe('integers of 64 bits', () => {
  it.each([
    ['0', 0],
    ['-1', -1],
    ['999999999999999', 999_999_999_999_999],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['9223372036854775807', 9_223_372_036_854_775_807n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
  ])('%s is one', (text, value) => expect(parseInteger(text)).toBe(value));

  it.each(['', '-', '+1', '01', '-0', '1.0', ' 1', '1 ', '0x1', '9223372036854775808', '1'.repeat(30)])(
    '%j is none',
    (text) => expect(parseInteger(text)).toBeUndefined(),
  );

  it('add and multiply without losing a bit, and say when the result does not fit', () => {
    expect(addIntegers(9_007_199_254_740_991, 2)).toBe(9_007_199_254_740_993n);
    expect(addIntegers(9_007_199_254_740_993n, -3)).toBe(9_007_199_254_740_990);
    expect(addIntegers(9_223_372_036_854_775_807n, 1)).toBeUndefined();
    expect(multiplyIntegers(9_223_372_036_854_775n, 1_000)).toBe(9_223_372_036_854_775_000n);
    expect(multiplyIntegers(9_223_372_036_854_776n, 1_000)).toBeUndefined();
  });
});

describe('doubles', () => {
  it.each([
    ['1.5', 1.5],
    ['.5', 0.5],
    ['5.', 5],
    ['+1e3', 1_000],
    ['-inf', -Infinity],
    ['Infinity', Infinity],
  ])('%s is one', (text, value) => expect(parseDouble(text)).toBe(value));

  it.each(['', '.', 'e5', 'nan', '1 ', '0x10', 'infinit', '--1'])('%j is none', (text) =>
    expect(parseDouble(text)).toBeUndefined(),
  );

  it('are written as short as they can be read back', () => {
    const written = [0.1, 1e16, 1e17, 1e21, 1.5e-7, 123_456.75, -0, Infinity].map(formatDouble);
    expect(written).toEqual([
      '0.1',
      '10000000000000000',
      '1e+17',
      '1e+21',
      '1.5e-07',
      '123456.75',
      '-0',
      'inf',
    ]);
  });
});

describe('patterns', () => {
  it.each([
    ['*', '', true],
    ['h?llo', 'hello', true],
    ['h?llo', 'hllo', false],
    ['h*llo', 'heeeello', true],
    ['h[ae]llo', 'hillo', false],
    ['h[^e]llo', 'hallo', true],
    ['h[a-c]llo', 'hbllo', true],
    ['h[c-a]llo', 'hbllo', true],
    ['[\\]]', ']', true],
    ['h\\*llo', 'h*llo', true],
    ['h\\*llo', 'hxllo', false],
    ['*a*b*c', 'xxaxxbxxc', true],
    ['*a*b*c', 'xxaxxcxxb', false],
    ['[abc', 'a', true],
    ['a\\', 'a\\', true],
    ['', 'a', false],
    ['\xff?', '\xff\x00', true],
  ])('%j and %j: %s', (pattern, text, matches) => expect(matchesGlob(pattern, text)).toBe(matches));

  it('with many stars take no more than a moment', () => {
    const startedAt = performance.now();
    expect(matchesGlob(`${'*a'.repeat(50)}b`, 'a'.repeat(5_000))).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
