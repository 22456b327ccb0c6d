import { buildASTSchema, parse, type DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { RequestError } from '../../errors.ts';
import { validateOperation } from './validate-operation.ts';

const validateText = (text: string, types: DocumentNode | '' = ''): void =>
  validateOperation(
    parse(text),
    buildASTSchema(gql`
      type Query {
        a: Int
      }
      ${types}
    `),
    { introspection: false },
  );

describe('an operation of a type that the schema does not have', () => {
  it.each([
    'mutation { a }',
    'subscription { a }',
    'subscription { __typename }',
    'query q { a } mutation m { a }',
  ])('is not valid: %s', (text) => {
    expect(() => validateText(text)).toThrow(RequestError);
    expect(() => validateText(text)).toThrow('has no operations of the type');
  });

  it('is valid as soon as it has', () => {
    expect(() =>
      validateText(
        'mutation { a }',
        gql`
          type Mutation {
            a: Int
          }
        `,
      ),
    ).not.toThrow();
  });
});
