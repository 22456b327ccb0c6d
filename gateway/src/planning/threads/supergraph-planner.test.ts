import { gql } from 'graphql-tag';
import { expect, it } from 'vitest';
import { buildSupergraph } from '../../supergraph/build-supergraph.ts';
import { compose } from '../../testing/compose.ts';
import { createSupergraphPlanner } from './supergraph-planner.ts';

const sdl = compose([
  {
    name: 'items',
    typeDefs: gql`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
      type Query {
        item: Item
      }
      type Item @key(fields: "id") {
        id: ID!
        price(rounded: Boolean): Int
      }
    `,
  },
  {
    name: 'shipping',
    typeDefs: gql`
      extend schema
        @link(
          url: "https://specs.apollo.dev/federation/v2.9"
          import: ["@key", "@external", "@requires", "@shareable"]
        )
      type Query {
        first: Item
      }
      type Item @key(fields: "sku", resolvable: false) @key(fields: "id") {
        id: ID!
        sku: ID!
        price(rounded: Boolean): Int @external
        fee: Int @requires(fields: "price(rounded: true)")
      }
    `,
  },
]);
const plain = compose([
  {
    name: 'items',
    typeDefs: gql`
      type Query {
        item: Item
      }
      type Item {
        id: ID!
      }
    `,
  },
]);

it.each([
  [
    'requirements with arguments, and a key that is not resolvable',
    sdl,
    '{ item { id fee price } first { id sku fee } }',
  ],
  [
    'the same, written by hand',
    sdl
      .replaceAll('requires: "', 'requires , : # why\n "')
      .replaceAll('resolvable: false', 'resolvable :false'),
    '{ item { id fee price } }',
  ],
  ['neither', plain, '{ item { id } }'],
])('Plans are the same on a supergraph that was read before, with %s', (_what, text, operation) => {
  const { supergraphSchema } = buildSupergraph(text);
  const plan = createSupergraphPlanner(text).plan(operation);
  expect(JSON.stringify(plan)).toContain('"Fetch"');
  expect(createSupergraphPlanner(text, supergraphSchema).plan(operation)).toEqual(plan);
});
