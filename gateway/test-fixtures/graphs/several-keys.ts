import { gql } from 'graphql-tag';
import { FEDERATION, type HandSubgraph } from '../hand-graph.ts';

interface Reference {
  readonly id?: string;
  readonly name?: string;
  readonly at?: { readonly one?: string; readonly two?: string; readonly three?: string };
}

/**
 * A type with several keys, of which each subgraph resolves one alone; and an interface that nothing
 * implements, which another subgraph knows as an object that it can't resolve.
 */
export const keysMashup: Readonly<Record<'names' | 'owners', HandSubgraph>> = {
  names: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        lost: Node
      }
      type Thing
        @key(fields: "id")
        @key(fields: "serial", resolvable: false)
        @key(fields: "at { one two }", resolvable: false)
        @key(fields: "id at { two three }", resolvable: false) {
        id: ID!
        serial: ID!
        at: Place!
        name: String!
      }
      type Place {
        one: ID!
        two: ID!
        three: ID!
      }
      interface Node @key(fields: "id") {
        id: ID!
      }
    `,
    resolvers: {
      Query: { lost: () => ({ __typename: 'Node', id: 'n1' }) },
      Thing: { __resolveReference: ({ id }: Reference) => (id === 't1' ? { id, name: 'one' } : null) },
    },
  },
  owners: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        owner: Owner
        node: Node
      }
      type Owner {
        things: [Thing!]!
      }
      type Thing
        @key(fields: "at { one two }", resolvable: false)
        @key(fields: "id at { two three }")
        @key(fields: "serial", resolvable: false)
        @key(fields: "id", resolvable: false) {
        id: ID!
        serial: ID!
        at: Place!
        name: String! @external
        shout: String! @requires(fields: "name")
      }
      type Place {
        one: ID!
        two: ID!
        three: ID!
      }
      type Node @key(fields: "id", resolvable: false) @interfaceObject {
        id: ID!
        name: String
      }
    `,
    resolvers: {
      Query: {
        owner: () => ({ things: [{ id: 't1', serial: 's1', at: { one: 'x', two: 'y', three: 'z' } }] }),
        node: () => ({ id: 'n1', name: 'leaf' }),
      },
      Thing: {
        __resolveReference: (reference: Reference) =>
          reference.id !== undefined && reference.at?.two !== undefined && reference.at.three !== undefined
            ? { ...reference, at: { one: 'x', ...reference.at } }
            : null,
        shout: ({ name = '', at }: Reference) =>
          `${name.toUpperCase()} of ${at?.one}/${at?.two}/${at?.three}`,
      },
    },
  },
};
