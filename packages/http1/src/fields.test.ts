import { describe, expect, it } from 'vitest';
import { ASCII_VALUE, choosePreferred, isMediaType, isScopeToken, readPreferences } from './fields.ts';

function valuesOf(field: string, maxValues?: number): readonly string[] {
  return readPreferences(field, maxValues).map(({ value, quality }) => `${value} ${quality}`);
}

describe('RFC 9110 §12.4.2: what a client accepts', () => {
  it.each([
    ['text/html', ['text/html 1']],
    ['de;q=0.3, en;q=0.7, fr', ['fr 1', 'en 0.7', 'de 0.3']],
    ['b, a, c;q=1.0', ['b 1', 'a 1', 'c 1']], // of equals, the order of the field
    ['TEXT/HTML ; Q=0.5', ['text/html 0.5']],
    ['*, gzip;q=0.001', ['* 1', 'gzip 0.001']],
    ['gzip;q=0, br;q=0.000', []],
    ['gzip;q=, br;q=much, deflate;q=-1', []],
    ['gzip;q=7', ['gzip 1']],
    ['', []],
    [', ,gzip,', ['gzip 1']],
    [';q=1', []],
  ])('is read from %j', (field, expected) => {
    expect(valuesOf(field)).toEqual(expected);
  });

  it('has its parameters, without quotes', () => {
    const [range] = readPreferences('multipart/mixed; deferSpec="20220824" ;q=0.9;flag');
    expect(Object.fromEntries(range?.parameters ?? [])).toEqual({
      deferspec: '20220824',
      q: '0.9',
      flag: '',
    });
  });

  it('is read no further than is asked for', () => {
    expect(valuesOf('a;q=0.1,b,c', 2)).toEqual(['b 1', 'a 0.1']);
    expect(valuesOf(',,,a', 2)).toEqual([]);
  });
});

describe('RFC 9110 §12.5.3: the coding that is chosen', () => {
  const supported = ['br', 'gzip', 'identity'] as const;

  it.each([
    ['gzip', 'gzip'],
    ['gzip, br', 'br'], // of equals, the first that is supported
    ['br;q=0.5, GZIP', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['br, *;q=0', 'br'],
    ['identity, *;q=0.1', 'identity'],
    ['zstd', undefined],
    ['br;q=0', undefined],
    ['br;q=x', undefined],
    ['', undefined],
  ])('for %j is %s', (field, expected) => {
    expect(choosePreferred(field, supported)).toBe(expected);
  });
});

describe('RFC 9110 §8.3.1: a media type', () => {
  it.each([
    'text/plain',
    'image/svg+xml',
    'Text/HTML; charset=utf-8',
    'text/html ;charset="utf-8"; level=1',
    'application/vnd.a!#$&^_.b',
  ])('is %j', (text) => {
    expect(isMediaType(text)).toBe(true);
  });

  it.each([
    '',
    'text',
    'text/',
    '/plain',
    'text/plain;',
    'text/plain; charset',
    'text/plain; charset=',
    'text/plain\r\nx: y',
    'text/plain; a="\r\n"',
    'text/plain; a="\\""',
    'text/plain; a="',
    'text/ plain',
    'text/plän',
  ])('is not %j', (text) => {
    expect(isMediaType(text)).toBe(false);
  });

  it('is read in a time that grows with its length alone', () => {
    expect(isMediaType(`a/b${'; c="d"'.repeat(20_000)};`)).toBe(false); // or the test never ends
    expect(isMediaType(`a/b${' ;'.repeat(50_000)}`)).toBe(false);
  });
});

describe('RFC 6749 §3.3: a scope', () => {
  it.each(['read:data', '!', '#[]~', 'https://api.example/posts.read'])('is %j', (text) => {
    expect(isScopeToken(text)).toBe(true);
  });

  it.each(['', 'a b', 'a"b', 'a\\b', 'a\tb', 'a\n', 'ä', '\x7f'])('is not %j', (text) => {
    expect(isScopeToken(text)).toBe(false);
  });
});

describe('RFC 9110 §5.5: the value of a field in ASCII', () => {
  it.each(['', 'a b\tc', '"~!'])('is %j', (text) => {
    expect(text).toMatch(ASCII_VALUE);
  });

  it.each(['a\r\nb: c', 'a\n', '\0', 'ä', '\x7f'])('is not %j', (text) => {
    expect(text).not.toMatch(ASCII_VALUE);
  });
});
