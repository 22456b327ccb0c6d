import { buildASTSchema, parse } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { validateOperation } from '../../operation/validation/validate-operation.ts';
import { writeIntrospection } from './write-introspection.ts';

const schema = buildASTSchema(gql`
  type Query {
    a: Int
    o: Other
  }
  type Other {
    a: Int
  }
`);
const ask = (text: string, defaultOnError?: string): unknown => {
  validateOperation(parse(text), schema, { introspection: true });
  const input = { text, variables: {}, maxCharacters: 100_000, ...(defaultOnError && { defaultOnError }) };
  return JSON.parse(writeIntrospection(schema, input) ?? 'null');
};

describe('graphql-spec#1163, "Service Capabilities"', () => {
  it('says that requests may have onError, and what holds for those that do not', () => {
    const text = '{ __service { __typename capabilities { __typename identifier value } } }';
    const capabilities = (value: string): object[] => [
      { __typename: '__Capability', identifier: 'graphql.onError', value: null },
      { __typename: '__Capability', identifier: 'graphql.defaultErrorBehavior', value },
    ];
    expect(ask(text)).toEqual({ __typename: '__Service', capabilities: capabilities('PROPAGATE') });
    expect(ask(text, 'NULL')).toEqual({ __typename: '__Service', capabilities: capabilities('NULL') });
  });

  it('has a description of each', () => {
    const text = '{ __service { all: capabilities { description } } }';
    const { all } = ask(text) as { all: readonly { description: string }[] };
    expect(all.every(({ description }) => description.endsWith('.'))).toBe(true);
  });

  it('is found by those who probe for its type', () => {
    expect(ask('{ __type(name: "__Service") { name } }')).toEqual({ name: '__Service' });
    expect(ask('{ __type(name: "__Capability") { fields { name } } }')).toMatchObject({
      fields: [{ name: 'identifier' }, { name: 'description' }, { name: 'value' }],
    });
    expect(ask('{ __type(name: "__Nothing") { name } }')).toBeNull();
  });

  it('is not among the types and fields that tools build a schema of', () => {
    const listed = ask('{ __schema { types { name fields { name } } } }');
    expect(JSON.stringify(listed)).not.toMatch(/__Service|__Capability|__service/);
  });

  it.each([
    ['{ o { __service { capabilities { value } } } }', /Cannot query field "__service" on type "Other"/],
    ['{ __service }', /must have a selection of subfields/],
    ['{ __service { nothing } }', /Cannot query field "nothing" on type "__Service"/],
    ['{ __service(a: 1) { capabilities { value } } }', /Unknown argument "a"/],
  ])('is validated: %s', (text, message) => {
    expect(() => validateOperation(parse(text), schema, { introspection: true })).toThrow(message);
  });

  it('is answered where the schema is not: it shows nothing of it', () => {
    const text = '{ __service { capabilities { identifier } } }';
    expect(() => validateOperation(parse(text), schema, { introspection: false })).not.toThrow();
  });
});
