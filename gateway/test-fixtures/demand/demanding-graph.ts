import { randomUUID } from 'node:crypto';
import { buildSubgraphSchema } from '@apollo/subgraph';
import {
  getNamedType,
  getNullableType,
  graphql,
  isAbstractType,
  isLeafType,
  isListType,
  type DocumentNode,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { gql } from 'graphql-tag';
import type { SubgraphClient } from '../../src/subgraphs/subgraph-request.ts';
import { buildSupergraph } from '../../src/supergraph/build-supergraph.ts';
import type { Supergraph } from '../../src/supergraph/supergraph.ts';
import { compose } from '../../src/testing/compose.ts';

/** Taken for every list that nothing sizes, by the settings and by the subgraphs. */
export const LIST_SIZE = 3;

const LINK = gql`
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@listSize", "@override"])
`;

/** With so many types that a question about the schema costs more than the least. */
const THINGS = gql`
  ${LINK}
  type Query {
    things(first: Int): [Thing!]!
    byIds(ids: [ID!]!, first: Int): [Thing!]!
    byCodes(codes: [String!]): [Thing!]!
    all: [Thing!]!
    nodes(first: Int = 2): [Node!]!
    any: [Any!]!
    connection(first: Int): ThingConnection!
    one: Thing
  }
  interface Node {
    id: ID!
    label: String
    parts: [Thing!]!
  }
  union Any = Thing | Vault
  type Thing implements Node @key(fields: "id") {
    id: ID!
    label: String
    parts: [Thing!]! @listSize(assumedSize: 1)
    many(first: Int): [Thing!]!
    tags: [String!]!
    grid: [[Cell!]!]!
    peers(first: Int): [Thing!]! @override(from: "reviews", label: "percent(50)")
    rank: Int @override(from: "reviews", label: "moved")
  }
  type Subscription {
    ticked(first: Int): [Thing!]!
    happened: Thing
  }
  type Vault implements Node @key(fields: "id") {
    id: ID!
    label: String
    parts: [Thing!]! @listSize(assumedSize: 6)
  }
  type ThingConnection {
    edges: [Edge!]!
    pageInfo: String
  }
  type Edge {
    node: Thing!
    cursor: String
  }
  type Cell {
    x: Int
  }
  ${Array.from({ length: 150 }, (_, index) => `type Further${index} { a: Int b(of: Int): Further${index} c(of: Int, at: Int): Int }`).join(' ')}
`;

const REVIEWS = gql`
  ${LINK}
  type Query {
    reviews(last: Int): [Review!]!
    search(where: Where): [Thing!]!
  }
  input Where {
    ids: [ID!]
    limit: Int
  }
  type Thing @key(fields: "id") {
    id: ID!
    reviews(limit: Int): [Review!]!
    weight: Int
    friend: Thing
    peers(first: Int): [Thing!]!
    rank: Int
  }
  type Review {
    text: String
    thing: Thing
  }
`;

/** Lists whose length their schema declares. */
const SIZES: Readonly<Record<string, number>> = { 'Thing.parts': 1, 'Vault.parts': 6 };
/** What the planner asks for on its own account. */
const FREE: ReadonlySet<string> = new Set(['id', '_entities']);

/** Subgraphs in this process, whose lists are as long as they are asked to be, and which count what they are asked for. */
export interface DemandingGraph {
  readonly supergraph: Supergraph;
  readonly client: SubgraphClient;
  /** How many fields were resolved since the last call, keys aside. */
  takeCount(): number;
}

/** Builds it. */
export function buildDemandingGraph(): DemandingGraph {
  let count = 0;
  const resolve: GraphQLFieldResolver<unknown, unknown, Record<string, unknown>> = (
    source,
    args,
    _context,
    info,
  ) => {
    if (!FREE.has(info.fieldName)) count += 1;
    const { id, length } = (source ?? {}) as Partial<Made>; // every object here is one, the root is none
    if (info.fieldName === 'id') return id;
    const coordinate = `${info.parentType.name}.${info.fieldName}`;
    const own = coordinate === 'ThingConnection.edges' ? length : undefined;
    return valueOf(info.returnType, own ?? lengthOf(coordinate, info.returnType, args));
  };
  const definitions: Readonly<Record<string, DocumentNode>> = { things: THINGS, reviews: REVIEWS };
  const schemas = new Map(
    Object.entries(definitions).map(([name, typeDefs]) => [name, resolvable(typeDefs)]),
  );
  const client: SubgraphClient = {
    async send({ subgraph, body }) {
      const { query, variables } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> };
      const schema = schemas.get(subgraph);
      if (!schema) throw new RangeError(`There is no subgraph ${subgraph}.`);
      const result = await graphql({
        schema,
        source: query,
        variableValues: variables,
        fieldResolver: resolve,
      });
      if (result.errors) throw result.errors[0] ?? new Error('It failed.');
      return { status: 200, body: Buffer.from(JSON.stringify(result)) };
    },
    close: () => Promise.resolve(),
  };
  return {
    supergraph: buildSupergraph(
      compose(Object.entries(definitions).map(([name, typeDefs]) => ({ name, typeDefs }))),
    ),
    client,
    takeCount() {
      const counted = count;
      count = 0;
      return counted;
    },
  };
}

function resolvable(typeDefs: DocumentNode): GraphQLSchema {
  const entity = { __resolveReference: (reference: unknown) => reference };
  const resolvers = typeDefs === THINGS ? { Thing: entity, Vault: entity } : { Thing: entity };
  const schema = buildSubgraphSchema({ typeDefs, resolvers });
  for (const type of Object.values(schema.getTypeMap()))
    if (isAbstractType(type) && !type.name.startsWith('_'))
      type.resolveType = (value: { readonly __typename: string }) => value.__typename;
  return schema;
}

/** An object of any type. */
interface Made {
  readonly __typename: string;
  readonly id: string;
  /** Of a connection: how long its lists are. */
  readonly length: number;
}

/** As the arguments ask; what has ids is as long as they are many, a limit beside them or not. */
function lengthOf(
  coordinate: string,
  type: GraphQLOutputType,
  args: Readonly<Record<string, unknown>>,
): number {
  const inner = isListType(getNullableType(type)) || coordinate === 'Query.connection';
  if (!inner) return 1;
  const where = (args['where'] ?? {}) as Readonly<Record<string, unknown>>; // an input object
  const given = [args['first'], args['last'], args['limit'], where['limit']].filter(
    (value): value is number => typeof value === 'number' && value >= 0,
  );
  const lists = [args['ids'], args['codes'], where['ids']].filter((value) => Array.isArray(value));
  const sizes = [...given, ...lists.map(({ length }) => length)];
  return sizes.length > 0 ? Math.max(...sizes) : (SIZES[coordinate] ?? LIST_SIZE);
}

function valueOf(type: GraphQLOutputType, length: number): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return Array.from({ length }, () => valueOf(inner.ofType, LIST_SIZE));
  const { name } = getNamedType(type);
  if (isLeafType(inner)) return name === 'Int' ? 1 : 'x';
  // The costliest of what an abstract type stands for.
  const made: Made = { __typename: isAbstractType(inner) ? 'Vault' : name, id: randomUUID(), length };
  return made;
}
