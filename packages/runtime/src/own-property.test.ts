import { expect, it } from 'vitest';
import { own, ownOf } from './own-property.ts';

const inherited = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf'];

it('reads own properties, and none that an object inherits', () => {
  const object = { a: 1, none: undefined };
  expect([own(object, 'a'), own(object, 'none'), own(object, 'b')]).toEqual([1, undefined, undefined]);
  for (const key of inherited) {
    expect(own(object, key)).toBeUndefined();
    expect(ownOf(object, key)).toBeUndefined();
    expect(own(Object.create({ [key]: 1 }) as Record<string, unknown>, key)).toBeUndefined();
    expect(own(JSON.parse(`{${JSON.stringify(key)}: 1}`) as Record<string, unknown>, key)).toBe(1);
  }
  expect(own(Object.assign(Object.create(null) as Record<string, unknown>, { a: 2 }), 'a')).toBe(2);
});

it('reads nothing of what is no object', () => {
  for (const value of [undefined, null, 'text', 1, true, () => 1])
    expect(ownOf(value, 'length')).toBeUndefined();
  expect(ownOf(['x'], '0')).toBe('x');
});
