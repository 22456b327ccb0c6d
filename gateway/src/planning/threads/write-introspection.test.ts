import { buildASTSchema, executeSync, parse } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { writeIntrospection } from './write-introspection.ts';

const schema = buildASTSchema(gql`
  "Says \\"hello\\"."
  type Query implements Node {
    id: ID!
    pets(first: Int = 3, kind: Kind = CAT, filter: Filter = { a: [1] }): [[Pet!]]!
    old: Int @deprecated(reason: "no")
  }
  interface Node {
    id: ID!
  }
  union Pet = Cat | Dog
  type Cat {
    name: String
  }
  type Dog {
    name: String
    owner: Query
  }
  enum Kind {
    CAT
    DOG @deprecated
  }
  input Filter {
    a: [Int!]!
    b: String = "x "
    old: Int @deprecated
  }
  directive @marks(on: Kind) repeatable on FIELD | QUERY
`);
const MANY = 1_000_000;

function write(
  text: string,
  variables: Readonly<Record<string, unknown>> = {},
  maxCharacters = MANY,
): unknown {
  const result = writeIntrospection(schema, { text, variables, maxCharacters });
  return result === undefined ? undefined : JSON.parse(result);
}

function right(text: string, variables: Readonly<Record<string, unknown>> = {}): unknown {
  const { data, errors } = executeSync({ schema, document: parse(text), variableValues: variables });
  expect(errors).toBeUndefined();
  return Object.values(JSON.parse(JSON.stringify(data)) as Record<string, unknown>)[0];
}

describe('Introspection in a query planner worker', () => {
  it.each([
    [
      '{ __schema { description queryType { name } mutationType { name } types { kind name description } } }',
      {},
    ],
    [
      '{ __type(name: "Query") { fields(includeDeprecated: true) { name args { name defaultValue type { ofType { name } } } deprecationReason } } }',
      {},
    ],
    [
      '{ __type(name: "Query") { fields { name } interfaces { name } possibleTypes { name } specifiedByURL } }',
      {},
    ],
    [
      '{ __type(name: "Kind") { all: enumValues(includeDeprecated: true) { name } enumValues { name isDeprecated } } }',
      {},
    ],
    [
      'query ($n: String!, $d: Boolean) { __type(name: $n) { inputFields(includeDeprecated: $d) { name } __typename } }',
      { n: 'Filter', d: true },
    ],
    ['{ __type(name: "Nothing") { name } }', {}],
    ['{ __schema { directives { name locations isRepeatable args { name type { kind } } } } }', {}],
    ['{ __schema { queryType { name } queryType { kind name } } }', {}],
  ])('writes what graphql-js answers: %s', (text, variables) => {
    expect(write(text, variables)).toEqual(right(text, variables));
  });

  it('G8: ends when the response is longer than it may be', () => {
    const text = '{ __schema { types { name } } }';
    const { length } = JSON.stringify(right(text));
    expect(write(text, {}, length)).toEqual(right(text));
    expect(write(text, {}, length - 1)).toBeUndefined();
  });
});
