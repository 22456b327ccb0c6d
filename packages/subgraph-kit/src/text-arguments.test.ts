import { describe, expect, it } from 'vitest';
import type { JsonValue } from './scalars/json.ts';
import { readJson, readText } from './text-arguments.ts';

const rejection = (field: string) =>
  expect.objectContaining({ extensions: expect.objectContaining({ code: 'BAD_USER_INPUT', field }) });

describe('readText', () => {
  const read = (value: string, multiline = false) =>
    readText('input.title', value, { maxLength: 10, multiline });

  it.each(['a', ' a ', 'ten chars!', '日本語', '👩‍🚀', "'; DROP"])('lets %j pass as it is', (value) => {
    expect(read(value)).toBe(value);
  });

  it.each([
    ['', 'must not be blank'],
    [' \t\u00a0', 'must not be blank'],
    ['\u200b\u200d\u2060', 'must not be blank'],
    ['\u3164\u2800\ufe0f', 'must not be blank'],
    ['\u202e\u2066', 'must not be blank'],
    ['eleven char', 'must have at most 10 characters'],
    ['a\u0000b', 'without the character zero'],
    ['a\ud800b', 'well-formed Unicode'],
    ['a\nb', 'must be one line'],
    ['a\u0007b', 'must be one line'],
    ['a\u202eb', 'change the direction'],
    ['a\u200fb', 'change the direction'],
  ])('rejects %j: %s', (value, problem) => {
    expect(() => read(value)).toThrow(problem);
    expect(() => read(value)).toThrow(rejection('input.title'));
  });

  it('lets lines break where they may', () => {
    expect(read('a\nb', true)).toBe('a\nb');
    expect(() => read('a\u0000b', true)).toThrow(rejection('input.title'));
  });

  it('L1: lets marks of direction stand in paragraphs, and nothing that reorders what follows', () => {
    expect(read('\u05d0\u200f!', true)).toBe('\u05d0\u200f!');
    for (const text of ['a\u202eb', 'a\u2067b'])
      expect(() => read(text, true)).toThrow(rejection('input.title'));
  });
});

describe('readJson', () => {
  const read = (value: JsonValue) => readJson('input.metadata', value, { maxBytes: 100, maxDepth: 3 });
  const nested = (levels: number): JsonValue =>
    JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as JsonValue;

  it.each([null, true, 1.5, 'text', [1, [2]], { a: { b: {} } }, nested(3)].map((value) => [value]))(
    'lets %j pass as it is',
    (value) => expect(read(value)).toEqual(value),
  );

  it.each([
    [nested(4), 'must nest at most 3 levels'],
    [nested(5_000), 'must nest at most 3 levels'],
    ['ä'.repeat(50), 'must be at most 100 bytes'],
    [{ a: 'x\u0000' }, 'without the character zero'],
    [{ a: { b: 'x\u202e' } }, 'change the direction'],
    [{ 'k\ud800': 1 }, 'well-formed Unicode'],
    [[Number.POSITIVE_INFINITY], 'finite numbers'],
  ])('rejects a value: %#', (value, problem) => {
    expect(() => read(value)).toThrow(problem);
    expect(() => read(value)).toThrow(rejection('input.metadata'));
  });
});
