import { describe, expect, it } from 'vitest';
import { parametersOf, parseParameters } from './parameters.ts';

describe('parameters', () => {
  it('decodes plus signs, percent-encoding and UTF-8', () => {
    expect(parseParameters('a=x+y%20z&b=%C3%BC').get('a')).toBe('x y z');
    expect(parseParameters('b=%C3%BC').get('b')).toBe('ü');
  });

  it('A-006 finds repeated parameters, and lets resource repeat', () => {
    expect(() => parseParameters('a=1&a=1').assertUnrepeated()).toThrow(/more than once/);
    expect(() => parseParameters('a=&a=').assertUnrepeated()).toThrow(/more than once/);
    expect(parseParameters('a=1&a=2').get('a')).toBeUndefined();
    expect(() => parseParameters('resource=a&resource=b').assertUnrepeated()).not.toThrow();
  });

  it('A-007 counts a parameter without a value as absent', () => {
    expect(parseParameters('state=&scope').get('state')).toBeUndefined();
    expect(parseParameters('state=&scope').get('scope')).toBeUndefined();
  });

  it.each([
    'a=%',
    'a=%zz',
    'a=%c3%28',
    '%ff=1',
    'a=%00',
    'a=\0',
    'a=%E2%80%AE',
    'a%E2%81%A6=1',
    'password=%00',
  ])('A-010 rejects %j', (text) => {
    expect(() => parseParameters(text)).toThrow(/well-formed/);
  });

  it('takes a password as it is typed, marks of direction included', () => {
    expect(parseParameters('password=a%E2%80%8F&new_password=%E2%80%AE').get('password')).toBe('a\u200f');
  });

  it('A-009 rejects thousands of parameters', () => {
    expect(() => parseParameters('a=1&'.repeat(20_000))).toThrow(/well-formed/);
  });

  it('A-011 treats __proto__, constructor and brackets as names like others', () => {
    const parameters = parseParameters('__proto__=x&constructor=y&a[]=1&a[b]=2');
    expect(parameters.get('__proto__')).toBe('x');
    expect(parameters.get('constructor')).toBe('y');
    expect(parameters.get('a')).toBeUndefined();
    expect(parameters.get('toString')).toBeUndefined();
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it('survives storing', () => {
    const parameters = parseParameters('state=%0d%0a%25%2B+%22&resource=a&resource=b');
    const restored = parametersOf(parameters.entries());
    expect(restored.get('state')).toBe('\r\n%+ "');
    expect(restored.getAll('resource')).toEqual(['a', 'b']);
  });
});
