import { Kind, parseValue } from 'graphql';
import { describe, expect, it } from 'vitest';
import { dateTimeScalar } from './date-time.ts';
import { jsonScalar } from './json.ts';

describe('DateTime', () => {
  it('is an ISO 8601 string in UTC with milliseconds', () => {
    expect(dateTimeScalar.serialize(new Date(Date.UTC(2025, 0, 31, 12)))).toBe('2025-01-31T12:00:00.000Z');
  });

  it.each(['2025-01-31T12:00:00.007Z', '2025-01-31T12:00:00.700Z', '1969-12-31T23:59:59.999Z'])(
    'comes out as it went in: %s',
    (text) => expect(dateTimeScalar.serialize(dateTimeScalar.parseValue(text))).toBe(text),
  );

  it('turns an offset into UTC', () => {
    expect(dateTimeScalar.serialize(dateTimeScalar.parseValue('2025-01-31T12:00:00+02:00'))).toBe(
      '2025-01-31T10:00:00.000Z',
    );
  });

  it('is read from a literal too', () => {
    const literal = { kind: Kind.STRING, value: '2025-01-31T12:00:00Z' } as const;
    expect(dateTimeScalar.parseLiteral(literal)).toEqual(new Date(Date.UTC(2025, 0, 31, 12)));
  });

  it.each([
    '',
    'tomorrow',
    '2025-02-30T00:00:00Z',
    '2025-01-31',
    '2025-01-31T12:00:00',
    1_738_324_800_000,
    true,
    {},
  ])('rejects %j', (value) =>
    expect(() => dateTimeScalar.parseValue(value)).toThrow(
      expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT', invalidValue: value } }),
    ),
  );

  it('rejects a Date that is none', () => {
    expect(() => dateTimeScalar.serialize(new Date(Number.NaN))).toThrow('Invalid time');
  });
});

describe('JSON', () => {
  const value = { list: [1, 2.5, null, true], text: 'ä', nested: { deep: {} } };

  it('comes out as it went in', () => {
    expect(jsonScalar.serialize(jsonScalar.parseValue(value))).toEqual(value);
  });

  it('is read from a literal with variables', () => {
    const literal = parseValue('{list: [1, 2.5, null, true], text: "ä", nested: {deep: {}}}');
    expect(jsonScalar.parseLiteral(literal)).toEqual(value);
  });

  it('S-037 takes a literal named __proto__ for a member like any other', () => {
    const parsed = jsonScalar.parseLiteral(parseValue('{__proto__: {polluted: true}}'));
    expect(Object.keys(Object(parsed))).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
