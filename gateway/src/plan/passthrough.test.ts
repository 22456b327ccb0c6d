import { buildASTSchema } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { passthroughObjects } from './passthrough.ts';
import type { PassthroughValue } from './passthrough-shape.ts';
import { leafCheck } from '../supergraph/type-index.ts';

const field = (
  key: string,
  value: PassthroughValue,
  isFirst = false,
): { start: Buffer; value: PassthroughValue } => ({
  start: Buffer.from(`${isFirst ? '{' : ','}"${key}":`),
  value,
});
const nullable = true;
const shape: PassthroughValue = {
  kind: 'object',
  nullable: false,
  fields: [
    field(
      'items',
      {
        kind: 'list',
        nullable,
        item: {
          kind: 'object',
          nullable: false,
          fields: [
            field('name', { kind: 'string', nullable }, true),
            field('count', { kind: 'int', nullable: false }),
            field('weight', { kind: 'float', nullable }),
            field('isNew', { kind: 'boolean', nullable }),
            field('size', { kind: 'enum', nullable, names: new Set(['S', 'L']) }),
          ],
        },
      },
      true,
    ),
  ],
};
const accepts = (text: string): boolean => passthroughObjects(Buffer.from(text), shape) !== undefined;
const item = (members: string): string => `{"data":{"items":[{${members}}]}}`;
const good = '"name":"a","count":1,"weight":1.5,"isNew":true,"size":"S"';

/** What a response of this shape must be, said once more in other words. */
function isRight(text: string): boolean {
  const schema = buildASTSchema(gql`
    enum Size {
      S
      L
    }
    type Item {
      name: String
      count: Int!
      weight: Float
      isNew: Boolean
      size: Size
    }
    type Query {
      items: [Item!]
    }
  `);
  const parsed = JSON.parse(text) as { data: { items: Record<string, unknown>[] | null } };
  const { items } = parsed.data;
  const types = schema.getType('Item');
  if (!types || !('getFields' in types)) return false;
  const isItem = (value: Record<string, unknown>): boolean =>
    Object.entries(types.getFields()).every(([name, { type }]) => {
      const isRequired = String(type).endsWith('!');
      const leaf = schema.getType(String(type).replace('!', ''));
      const given = value[name];
      if (given === null) return !isRequired;
      return leaf !== undefined && 'serialize' in leaf && leafCheck(leaf)(given);
    });
  const isExact =
    JSON.stringify(Object.keys(parsed)) === '["data"]' && Object.keys(parsed.data).join() === 'items';
  const keys = 'name,count,weight,isNew,size';
  return (
    isExact && (items === null || items.every((value) => Object.keys(value).join() === keys && isItem(value)))
  );
}

describe('A response that may be passed on as it is', () => {
  it.each([
    item(good),
    '{"data":{"items":null}}',
    '{"data":{"items":[]}}',
    item('"name":null,"count":-2147483648,"weight":null,"isNew":null,"size":null'),
    item('"name":"\\"\\\\\\u00e9\\n","count":2147483647,"weight":-0.25,"isNew":false,"size":"L"'),
    item('"name":"zażółć 🙂","count":0,"weight":0,"isNew":false,"size":"L"'),
  ])('is one that has the members asked for, with their types: %s', (text) => {
    expect(accepts(text)).toBe(true);
    expect(isRight(text)).toBe(true);
  });

  it.each([
    ['errors', '{"data":{"items":[]},"errors":[]}'],
    ['extensions', '{"data":{"items":[]},"extensions":{}}'],
    ['something behind it', '{"data":{"items":[]}} '],
    ['another member', item(`${good},"secret":1`)],
    ['a member less', item('"name":"a","count":1')],
    ['members in another order', item('"count":1,"name":"a","weight":1.5,"isNew":true,"size":"S"')],
    ['null where none may be', item(good.replace('1,', 'null,'))],
    ['an integer of 33 bits', item(good.replace('1,', '2147483648,'))],
    ['an integer with a leading zero', item(good.replace('1,', '01,'))],
    ['a negative zero', item(good.replace('1,', '-0,'))],
    ['a fraction for an integer', item(good.replace('1,', '1.5,'))],
    ['a number no double holds', item(good.replace('1.5', '1e400'))],
    ['a number without digits', item(good.replace('1.5', '1.'))],
    ['a value of no enum', item(good.replace('"S"', '"M"'))],
    ['a number for a string', item(good.replace('"a"', '1'))],
    ['a control character', item(good.replace('"a"', '"\n"'))],
    ['an escape that JSON does not know', item(good.replace('"a"', '"\\x"'))],
    ['half an escape', item(good.replace('"a"', '"\\u00g0"'))],
    ['an end in the middle', item(good).slice(0, -4)],
    ['nothing', ''],
  ])('is none with %s', (_what, text) => {
    expect(accepts(text)).toBe(false);
  });

  it('is counted by its objects', () => {
    const objectsIn = (text: string): number | undefined => passthroughObjects(Buffer.from(text), shape);
    expect(objectsIn('{"data":{"items":[]}}')).toBe(0);
    expect(objectsIn(item(good))).toBe(1);
    expect(objectsIn(item(`${good}},{${good}},{${good}`))).toBe(3);
  });

  it('is none in another encoding than UTF-8', () => {
    expect(
      passthroughObjects(Buffer.from(item(good.replace('"a"', '"é"')), 'latin1'), shape),
    ).toBeUndefined();
  });

  it('is right whenever it is accepted: each byte of a good one changed to any other', () => {
    const original = Buffer.from(item('"name":"aé\\n","count":-10,"weight":1.5,"isNew":true,"size":"S"'));
    let accepted = 0;
    for (let at = 0; at < original.length; at += 1) {
      for (let byte = 0; byte < 256; byte += 1) {
        const changed = Buffer.from(original);
        changed[at] = byte;
        if (passthroughObjects(changed, shape) === undefined) continue;
        accepted += 1;
        expect(isRight(changed.toString())).toBe(true);
      }
    }
    expect(accepted).toBeGreaterThan(original.length);
  });
});
