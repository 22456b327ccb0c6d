import { describe, expect, it } from 'vitest';
import { RequestRefused } from '../errors.ts';
import { assertBounded, parseJsonText } from './json-text.ts';

const read = (text: string): void => assertBounded(parseJsonText(text, 'variables') as object, 1_000);

describe('variables as JSON', () => {
  it('are refused where a number is too large: written on, it would be null', () => {
    for (const text of ['{"m":1e400}', '{"m":{"deep":[-1e400]}}'])
      expect(() => read(text)).toThrow(RequestRefused);
  });

  it('are refused beyond 100 levels, and beyond the number of values', () => {
    expect(() => read(`${'[['.repeat(60)}${']]'.repeat(60)}`)).toThrow(RequestRefused);
    expect(() => read(JSON.stringify(Array.from({ length: 1_001 }, () => 1)))).toThrow(RequestRefused);
  });

  it('pass otherwise', () => {
    expect(() => read('{"m":{"n":1e308,"__proto__":[null,"x",true]}}')).not.toThrow();
  });
});
