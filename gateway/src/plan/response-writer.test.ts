import { buildASTSchema, parse } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { NOTHING_DENIED } from '../operation/access/requirement.ts';
import { prepareOperation } from '../planning/prepare-operation.ts';
import { compileWriter } from './response-writer.ts';
import { SelectionShape } from './response-shape.ts';
import { plannableFor } from '../testing/plannable-for.ts';

const schema = buildASTSchema(gql`
  type Query {
    pet: Pet!
    pets: [[Pet!]]
    colour: Colour
    n: Int!
    f: Float
    b: Boolean
    s: String!
    id: ID
    any: Any
    none: Query
  }
  union Pet = Cat | Dog
  type Cat {
    name: String
    lives: Int!
  }
  type Dog {
    name: String
    barks: Boolean
  }
  enum Colour {
    RED
    GREEN
  }
  scalar Any
`);

const types = {
  isSubtype: (type: string, condition: string) =>
    type === condition || (condition === 'Pet' && (type === 'Cat' || type === 'Dog')),
  isObject: (type: string) => ['Query', 'Cat', 'Dog'].includes(type),
  fieldType: () => undefined,
};

function shapeOf(text: string): SelectionShape {
  const root = schema.getQueryType();
  if (!root) throw new Error('The schema has no queries.');
  const hints = {
    reservedKeys: new Set<string>(),
    interfaceObjects: new Set<string>(),
    plannedOnInterface: new Set<string>(),
    askedOnInterface: new Set<string>(),
    overrideLabels: new Map(),
  };
  const operation = plannableFor(parse(text));
  const { selections } = prepareOperation({
    schema,
    operation,
    decided: operation.decide({}),
    denied: NOTHING_DENIED,
    hints,
    maxSelections: 1000,
    maxDefers: 0,
    incremental: false,
  });
  return new SelectionShape(root, selections, { schema, types, interfaceObjects: new Set() });
}

function write(text: string, data: unknown): string | undefined {
  return compileWriter(shapeOf(text))?.write(data, (value) => JSON.stringify(value));
}

describe('a compiled writer', () => {
  it('writes what the operation asks for, in its order, and nothing else', () => {
    const data = { s: 'x', n: 1, extra: 2, pet: { __typename: 'Cat', lives: 9, name: null } };
    expect(
      write('{ n pet { kind: __typename ... on Cat { lives } ... on Dog { barks } } text: s }', data),
    ).toBe(undefined);
    expect(write('{ n pet { kind: __typename ... on Cat { lives } ... on Dog { barks } } s }', data)).toBe(
      '{"n":1,"pet":{"kind":"Cat","lives":9},"s":"x"}',
    );
  });

  it('writes lists of lists, nulls and empty objects', () => {
    const data = { pets: [[{ __typename: 'Dog', barks: true }], null, []], none: {} };
    expect(
      write('{ pets { ... on Dog { barks } } none { none { n } ... @skip(if: true) { n } } }', data),
    ).toBe(undefined);
    expect(write('{ pets { ... on Dog { barks } } none { n @skip(if: true) } }', data)).toBe(
      '{"pets":[[{"barks":true}],null,[]],"none":{}}',
    );
  });

  it('writes strings as JSON, and values of custom scalars whole', () => {
    expect(write('{ s any }', { s: 'a "b" \\ \n', any: { deep: [1, 'x'] } })).toBe(
      JSON.stringify({ s: 'a "b" \\ \n', any: { deep: [1, 'x'] } }),
    );
  });

  it.each([
    ['n', 1.5],
    ['n', '1'],
    ['n', null],
    ['n', 2 ** 31],
    ['n', undefined],
    ['f', Number.POSITIVE_INFINITY],
    ['f', '1'],
    ['b', 1],
    ['s', 7],
    ['id', 7],
    ['colour', 'BLUE'],
    ['any', undefined],
    ['none', []],
    ['none', 'x'],
  ])('leaves %s: %s to the slow path', (name, value) => {
    const text = name === 'none' ? '{ none { n } }' : `{ ${name} }`;
    expect(write(text, { [name]: value })).toBeUndefined();
  });

  it.each([
    ['of an unknown type', { __typename: 'Fish' }],
    ['of no type', { name: 'x' }],
    ['that is a list', []],
  ])('leaves an object %s to the slow path', (_name, pet) => {
    expect(write('{ pet { __typename } }', { pet })).toBeUndefined();
  });

  it('is not made for an operation with introspection', () => {
    expect(compileWriter(shapeOf('{ n __schema { queryType { name } } }'))).toBeUndefined();
  });

  it('writes an object that stands in many places once, and again with each response', () => {
    let reads = 0;
    const dog = {
      __typename: 'Dog',
      get name(): string {
        reads += 1;
        return 'Rex';
      },
    };
    const writer = compileWriter(shapeOf('{ pets { ... on Dog { name } } }'), new Set(['pets @ @']));
    const data = { pets: [[dog, dog], [dog]] };
    const text = '{"pets":[[{"name":"Rex"},{"name":"Rex"}],[{"name":"Rex"}]]}';
    expect(writer?.write(data, (value) => JSON.stringify(value))).toBe(text);
    expect(reads).toBe(1);
    expect(writer?.write(data, (value) => JSON.stringify(value))).toBe(text);
    expect(reads).toBe(2);
    expect(writer?.objects()).toBe(3);
  });

  it('counts the objects of a response', () => {
    const writer = compileWriter(shapeOf('{ n pet { __typename } pets { __typename } }'));
    const cat = { __typename: 'Cat' };
    const objectsOf = (data: unknown): number | undefined => {
      expect(writer?.write(data, (value) => JSON.stringify(value))).toBeDefined();
      return writer?.objects();
    };
    expect(objectsOf({ n: 1, pet: cat, pets: [[cat, cat], [], [cat]] })).toBe(4);
    expect(objectsOf({ n: 1, pet: cat, pets: null })).toBe(1);
  });
});
