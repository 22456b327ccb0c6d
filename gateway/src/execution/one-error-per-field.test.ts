import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FEDERATION,
  plain,
  startHandGraph,
  type HandGraph,
  type HandSubgraph,
} from '../../test-fixtures/hand-graph.ts';

const fail = (message: string) => (): never => {
  throw new Error(message);
};

/** Two subgraphs share a field, and two know an interface as one object. */
const subgraphs: Readonly<Record<string, HandSubgraph>> = {
  left: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        both: Box @shareable
        pets: [Pet!]!
      }
      type Box @key(fields: "id") {
        id: ID!
        left: Int
      }
      interface Pet @key(fields: "id") {
        id: ID!
        name: String
      }
      type Cat implements Pet @key(fields: "id") {
        id: ID!
        name: String
      }
      type Dog implements Pet @key(fields: "id") {
        id: ID!
        name: String
      }
    `,
    resolvers: {
      Query: {
        both: fail('Left is broken.'),
        pets: () => [
          { __typename: 'Cat', id: 'cat' },
          { __typename: 'Dog', id: 'dog' },
        ],
      },
    },
  },
  right: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        both: Box @shareable
        some: [Pet!]!
      }
      type Box @key(fields: "id", resolvable: false) {
        id: ID!
        right: Int
      }
      type Pet @key(fields: "id") @interfaceObject {
        id: ID!
      }
    `,
    resolvers: {
      Query: { both: fail('Right is broken.'), some: () => [{ id: 'cat' }, { id: 'dog' }] },
    },
  },
  shop: {
    typeDefs: gql`
      ${FEDERATION}
      type Pet @key(fields: "id") @interfaceObject {
        id: ID!
        name: String @external
        price: Int @requires(fields: "name")
      }
    `,
    resolvers: {
      Pet: {
        __resolveReference: (reference: object) => reference,
        price: ({ id }: { readonly id: string }) => (id === 'dog' ? fail('No price.')() : 7),
      },
    },
  },
};

let graph: HandGraph;
beforeAll(async () => {
  graph = await startHandGraph(subgraphs);
  graph.server('left').intercept(({ variables }, response) => {
    const pets = variables['representations'] as readonly { readonly id: string }[] | undefined;
    if (!pets) return false;
    const entities = pets.map(({ id }) => ({ __typename: id === 'dog' ? 'Dog' : 'Cat', name: id }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: { _entities: entities } }));
    return true;
  });
});
afterAll(() => graph.close());

describe('GraphQL §6.4.4: one error for a field', () => {
  it('that two subgraphs failed to send, with its path', async () => {
    const { data, errors = [], untold = [] } = await graph.run('{ both { left right } }');
    expect(plain({ data })).toEqual({ data: { both: null } });
    expect(errors.map(({ path }) => path)).toEqual([['both']]);
    expect([...errors, ...untold].map(({ message }) => message).toSorted()).toEqual([
      'Left is broken.',
      'Right is broken.',
    ]);
  });

  it('and none for what a subgraph was sent for another type, as of an @interfaceObject', async () => {
    const { untold, ...answer } = await graph.run('{ some { ... on Cat { price } } }');
    expect(plain(answer)).toEqual({ data: { some: [{ price: 7 }, {}] } });
    expect((untold ?? []).map(({ message }) => message)).toEqual(['No price.']);
  });
});
