import { describe, expect, it } from 'vitest';
import { RequestError } from '../../errors.ts';
import { assertBounded, parseJsonBody, parseJsonText } from './read-request.ts';

const read = (text: string): void => assertBounded(parseJsonText(text, 'variables') as object, 1_000);

describe('variables as JSON', () => {
  it('are rejected where a number is too large: written on, it would be null', () => {
    for (const text of ['{"m":1e400}', '{"m":{"deep":[-1e400]}}'])
      expect(() => read(text)).toThrow(RequestError);
  });

  it('are rejected beyond 100 levels, and beyond the number of values', () => {
    expect(() => read(`${'[['.repeat(60)}${']]'.repeat(60)}`)).toThrow(RequestError);
    expect(() => read(JSON.stringify(Array.from({ length: 1_001 }, () => 1)))).toThrow(RequestError);
  });

  it('pass otherwise', () => {
    expect(() => read('{"m":{"n":1e308,"__proto__":[null,"x",true]}}')).not.toThrow();
  });
});

describe('a large body', () => {
  const body = (member: string): Buffer =>
    Buffer.from(`[{"query":${JSON.stringify('"['.repeat(50_000))},"variables":{"v":${member}}}]`);

  it('S-003 is rejected before it is built where it is nested too deep', () => {
    expect(() => parseJsonBody(body(`${'[{"a":'.repeat(50_000)}1`), 1_000)).toThrow('nested 100 levels');
  });

  it('passes with as many levels as are allowed, whatever is in its strings', () => {
    expect(parseJsonBody(body(`${'['.repeat(100)}"\\"["${']'.repeat(100)}`), 1_000).value).toHaveLength(1);
  });

  it('S-019 is rejected before it is built where it holds more values than any request may', () => {
    const many = (count: number): Buffer => body(`[${'{},'.repeat(count)}{}]`);
    expect(() => parseJsonBody(many(150_000), 1_000)).toThrow('limit "variables"');
    expect(parseJsonBody(many(90_000), 1_000).value).toHaveLength(1);
    expect(parseJsonBody(many(150_000), 400_000).value).toHaveLength(1);
  });
});
