import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from './subgraph-server.ts';

/** A graph of things that hold things, whose lists are as long as their arguments say. */
export interface DemandGraph {
  readonly things: SubgraphServer;
  readonly all: readonly SubgraphServer[];
  close(): Promise<void>;
}

/** How long lists are that nothing bounds. */
export const UNBOUNDED_LENGTH = 10;

const SDL = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@listSize"])
  type Query {
    things(first: Int): [Thing!]!
    byIds(ids: [ID!]!): [Thing!]!
    bySlugs(slugs: [String!]!): [Thing!]!
    all: [Thing!]!
    nodes(first: Int): [Node!]!
    self: Query!
  }
  type Mutation {
    touch(first: Int): [Thing!]!
  }
  interface Node {
    id: ID!
    parts: [Thing!]!
  }
  type Thing implements Node @key(fields: "id") {
    id: ID!
    name: String
    many(first: Int): [Thing!]!
    parts: [Thing!]! @listSize(assumedSize: 2)
  }
  type Vault implements Node @key(fields: "id") {
    id: ID!
    parts: [Thing!]! @listSize(assumedSize: 500)
  }
`;

interface Thing {
  readonly __typename: string;
  readonly id: string;
  readonly name: string;
}

const make = (count: number, typename = 'Thing'): readonly Thing[] =>
  Array.from({ length: count }, (_, index) => ({
    __typename: typename,
    id: `${typename}-${index}`,
    name: `n${index}`,
  }));

interface Slice {
  readonly first?: number;
}

const slice = (_: unknown, { first = UNBOUNDED_LENGTH }: Slice): readonly Thing[] => make(first);

/** Starts it on a free port. */
export async function startDemandGraph(): Promise<DemandGraph> {
  const things = await startSubgraph({
    name: 'things',
    typeDefs: SDL,
    resolvers: {
      Query: {
        things: slice,
        byIds: (_: unknown, { ids }: { ids: readonly string[] }) => make(ids.length),
        bySlugs: (_: unknown, { slugs }: { slugs: readonly string[] }) => make(slugs.length),
        all: () => make(UNBOUNDED_LENGTH),
        nodes: (_: unknown, { first = UNBOUNDED_LENGTH }: Slice) => make(first, 'Vault'),
        self: () => ({}),
      },
      Mutation: { touch: slice },
      Thing: { many: slice, parts: () => make(2), __resolveReference: (thing: unknown) => thing },
      Vault: { parts: () => make(500), __resolveReference: (vault: unknown) => vault },
    },
  });
  return { things, all: [things], close: () => things.close() };
}
