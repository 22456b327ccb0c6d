import { buildASTSchema, parse } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { RequestError } from '../../errors.ts';
import { validateOperation } from './validate-operation.ts';

const schema = buildASTSchema(gql`
  scalar JSON
  type Query {
    echo(value: JSON, count: Int): JSON
  }
`);
const validateText = (text: string): void => validateOperation(parse(text), schema, { introspection: true });

describe('numbers that no double holds', () => {
  it.each([
    '{ echo(value: { a: [1e400] }) }',
    '{ echo(value: -1e999) }',
    'query ($v: JSON = 1e309) { echo(value: $v) }',
  ])('are rejected wherever they stand: %s', (text) => {
    expect(() => validateText(text)).toThrow(RequestError);
  });

  it('do not stand in the way of large ones that fit', () => {
    expect(() =>
      validateText('{ echo(value: { a: 1e308, b: 12345678901234567890 }, count: 3) }'),
    ).not.toThrow();
  });
});
