import { buildASTSchema, type GraphQLSchema } from 'graphql';
import { gql } from 'graphql-tag';
import { expect, it } from 'vitest';
import type { TypeIndex } from '../supergraph/type-index.ts';
import { SelectionShape } from './response-shape.ts';

const schema = buildASTSchema(gql`
  type Query {
    items: [Item]
  }
  union Item = Book | Film
  type Book {
    id: ID
  }
  type Film {
    id: ID
  }
`);
const types: TypeIndex = {
  isSubtype: (type, condition) => type === condition || (condition === 'Item' && type !== 'Query'),
  isObject: (type) => ['Query', 'Book', 'Film'].includes(type),
  fieldType: () => undefined,
};

/** The schema, and the types that are looked up in it. */
function watched(): { readonly schema: GraphQLSchema; readonly looked: string[] } {
  const looked: string[] = [];
  const getType = (name: string): ReturnType<GraphQLSchema['getType']> => {
    looked.push(name);
    return schema.getType(name);
  };
  return { schema: Object.assign(Object.create(schema) as GraphQLSchema, { getType }), looked };
}

it('the shape of a selection is compiled once for each type, and remembers no name that a subgraph makes up', () => {
  const { schema: lookedAt, looked } = watched();
  const item = schema.getType('Item');
  if (!item || !('getTypes' in item)) throw new Error('The schema has no items.');
  const shape = new SelectionShape(item, [], { schema: lookedAt, types, interfaceObjects: new Set() });
  expect(shape.of('Book')).toBe(shape.of('Book'));
  for (const name of ['Made_up', 'Made_up', 'Query', 'Query', '__proto__'])
    expect(shape.of(name)).toBeUndefined();
  expect(looked).toEqual(['Book', 'Made_up', 'Made_up', 'Query', 'Query', '__proto__']);
  expect(shape.reachableTypes).toEqual(['Book', 'Film']);
});
