import { buildSupergraph } from '../../supergraph/build-supergraph.ts';
import { compose } from '../../testing/compose.ts';
import { getIntrospectionQuery, Kind, parse, type OperationDefinitionNode } from 'graphql';
import { cpuTimeOf } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { decidedFor } from '../../testing/decided-for.ts';
import { costAnalysis, costFunctionOf } from './enforce-limits.ts';
import { DEFAULT_COSTS } from '../../settings/cost.ts';
import { readGraphAnnotations } from './graph-annotations.ts';
import { GraphCosts } from './graph-costs.ts';
import { fragmentsOf } from '../document/parse-operation.ts';
import { Analyzer } from '../fold/selection-fold.ts';
import { rootTypeOf } from '../../supergraph/type-index.ts';

const LINK = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: ["@key", "@shareable", "@listSize", { name: "@cost", as: "@weight" }]
    )
`;

const supergraph = buildSupergraph(
  compose([
    {
      name: 'content',
      typeDefs: gql`
        ${LINK}
        type Query {
          user: User
          node: Node
          users(limit: Int = 20, offset: Int = 0): [User!]!
          posts(first: Int, after: ID): [Post!]!
          page(input: Page): [Post!]!
          pages(pages: Paging = { page: { first: 30 } }): [Post!]!
          feed(first: Int = 10): Feed @listSize(slicingArguments: ["first"], sizedFields: ["posts"])
          tags: [String!]! @listSize(assumedSize: 50)
          newest(count: Int): [Post!]! @listSize(slicingArguments: ["count"], assumedSize: 7)
          avatar(limit: Int): String
          report(input: Report, depth: Int @weight(weight: 3)): String @weight(weight: 20)
          connection(first: Int): Connection
          cheap: String @weight(weight: -1000)
          matrix: [[User!]!]!
          byIds(ids: [ID!]!): [User!]!
          byUpcs(where: Where): [Product!]!
          byNames(names: [String!], first: Int): [User!]!
          shelf: Shelf
        }
        interface Node {
          id: ID!
        }
        input Where {
          upcs: [Int!]
        }
        type Product @key(fields: "upc") {
          upc: Int!
        }
        interface Shelf {
          items: [Item!]!
          boxes: [Item!]!
          label: String
        }
        type SmallShelf implements Shelf {
          items: [Item!]! @listSize(assumedSize: 2)
          boxes: [Item!]! @listSize(assumedSize: 2)
          label: String @weight(weight: 0)
        }
        type WideShelf implements Shelf {
          items: [Item!]! @listSize(assumedSize: 500)
          boxes: [Item!]!
          label: String
        }
        type Item {
          id: ID!
        }
        input Page {
          first: Int = 15
          after: ID
        }
        input Paging {
          page: Page
        }
        input Report {
          deep: Boolean @weight(weight: 7)
          parts: [Report!]
        }
        type Connection {
          edges: [Edge!]!
        }
        type Edge {
          node: Post
        }
        type Feed {
          posts: [Post!]!
          title: String
        }
        type User @key(fields: "id") {
          id: ID!
          name: String
          posts(first: Int = 10): [Post!]!
          friends: [User!]!
        }
        type Post implements Node @key(fields: "id") @weight(weight: 5) {
          id: ID!
          title: String
          tags: [String!]!
          author: User
          comments(limit: Int = 10): [Comment!]!
        }
        type Comment {
          id: ID!
          body: String
        }
      `,
    },
  ]),
);
const { schema } = supergraph;
const costs = new GraphCosts({
  schema,
  annotations: readGraphAnnotations(supergraph),
  settings: DEFAULT_COSTS,
});
const analyzer = new Analyzer({ cost: costAnalysis(costs) }, schema);

function cost(text: string, variables: Readonly<Record<string, unknown>> = {}): number {
  const document = parse(text);
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (!operation) throw new Error('no operation');
  const fold = analyzer.fold({ fragments: fragmentsOf(document) });
  const found = fold.ofOperation(operation.selectionSet, rootTypeOf(schema, operation));
  return costFunctionOf(found.cost)(variables, decidedFor(document, variables));
}

describe('Limits: maximum total cost', () => {
  it('counts 1 for a field and 5 for one that returns a Post, through a renamed import of @cost', () => {
    expect(cost('{ user { name } }')).toBe(2);
    expect(cost('{ posts(first: 1) { title } }')).toBe(6);
  });

  it('S-010 multiplies by slicing arguments, nested ones by one another', () => {
    // 3 × (1 + 1 + 2 × (5 + 1 + 2 × (1 + 1)))
    expect(cost('{ users(limit: 3) { name posts(first: 2) { title comments(limit: 2) { body } } } }')).toBe(
      66,
    );
  });

  it('S-010 takes what is omitted, null or negative as the default of the schema', () => {
    const defaulted = 20 * 2;
    expect(cost('{ users { name } }')).toBe(defaulted);
    expect(cost('{ users(limit: null) { name } }')).toBe(defaulted);
    expect(cost('{ users(limit: -5) { name } }')).toBe(defaulted);
    expect(cost('query ($n: Int) { users(limit: $n) { name } }')).toBe(defaulted);
  });

  it('S-010 takes what is omitted without a default as ten', () => {
    expect(cost('{ posts { title } }')).toBe(60);
    expect(cost('query ($n: Int) { posts(first: $n) { title } }', { n: null })).toBe(60);
  });

  it('S-010 reads variables, nested in input objects too', () => {
    const text = 'query ($n: Int) { posts(first: $n) { title } }';
    expect(cost(text, { n: 100 })).toBe(600);
    expect(cost(text, { n: 1e9 })).toBe(6e9);
    expect(cost('query ($p: Page) { page(input: $p) { id } }', { p: { first: 4 } })).toBe(24);
    expect(cost('query ($n: Int) { page(input: { first: $n }) { id } }', { n: 3 })).toBe(18);
    expect(cost('{ page(input: { first: 2 }) { id } }')).toBe(12);
  });

  it('S-010 reads defaults of input fields and of whole input objects', () => {
    expect(cost('{ page(input: {}) { id } }')).toBe(90);
    expect(cost('{ page { id } }')).toBe(90);
    expect(cost('{ pages { id } }')).toBe(180);
  });

  it('reads variables by own properties alone', () => {
    expect(cost('query ($constructor: Int) { posts(first: $constructor) { title } }')).toBe(60);
  });

  it('G10: counts a list that no argument slices as ten, and a list of lists as a hundred', () => {
    expect(cost('{ user { friends { name } } }')).toBe(1 + 10 * 2);
    expect(cost('{ user { friends { friends { name } } } }')).toBe(1 + 10 * (1 + 10 * 2));
    expect(cost('{ matrix { name } }')).toBe(100 * 2);
  });

  it('G10: counts a list of ids by its length, written or as a variable, within input objects too', () => {
    expect(cost('{ byIds(ids: ["a", "b", "c"]) { name } }')).toBe(3 * 2);
    const text = 'query ($ids: [ID!]!) { byIds(ids: $ids) { name } }';
    expect(cost(text, { ids: Array.from({ length: 5_000 }, () => 'x') })).toBe(10_000);
    expect(cost('query ($id: ID!) { byIds(ids: [$id, $id]) { name } }', { id: 'a' })).toBe(2 * 2);
    expect(cost('{ byUpcs(where: { upcs: [1, 2, 3, 4] }) { upc } }')).toBe(4 * 2);
    expect(cost('query ($w: Where) { byUpcs(where: $w) { upc } }', { w: { upcs: [1, 2] } })).toBe(2 * 2);
    expect(cost('query ($w: Where) { byUpcs(where: $w) { upc } }', { w: {} })).toBe(10 * 2);
  });

  it('G10: counts the longest list that is given where nothing says how long the response is', () => {
    const names = Array.from({ length: 50 }, () => 'x');
    expect(cost('query ($n: [String!]) { byNames(names: $n) { name } }', { n: names })).toBe(50 * 2);
    expect(cost('{ byNames(names: ["a"]) { name } }')).toBe(10 * 2);
    expect(cost('query ($n: [String!]) { byNames(names: $n, first: 3) { name } }', { n: names })).toBe(3 * 2);
    expect(cost('query ($n: [String!]) { byNames(names: $n) { name } }', { n: null })).toBe(10 * 2);
  });

  it('G10: counts the largest @listSize of the implementations of an interface, whichever comes first', () => {
    expect(cost('{ shelf { items { id } } }')).toBe(1 + 500 * (1 + 1));
    expect(cost('{ shelf { ... on SmallShelf { items { id } } } }')).toBe(1 + 2 * (1 + 1));
    expect(cost('{ shelf { boxes { id } } }')).toBe(1 + 10 * (1 + 1)); // one of two says nothing
  });

  it('takes a field of an interface for its costliest implementation', () => {
    expect(cost('{ shelf { label } }')).toBe(1 + 1); // SmallShelf.label weighs nothing
  });

  it('leaves a limit on a leaf alone', () => {
    expect(cost('{ avatar(limit: 512) }')).toBe(1);
  });

  it('multiplies what is below a connection', () => {
    expect(cost('{ connection(first: 10) { edges { node { id } } } }')).toBe(1 + 10 * (1 + 5 + 1));
  });

  it('follows @listSize: assumed sizes, slicing arguments, sized fields', () => {
    expect(cost('{ tags }')).toBe(50);
    expect(cost('{ newest { id } }')).toBe(42);
    expect(cost('{ newest(count: 2) { id } }')).toBe(12);
    expect(cost('{ feed(first: 3) { title posts { id } } }')).toBe(1 + 1 + 3 * 6);
    expect(cost('{ feed(first: 3) { ...f } } fragment f on Feed { title posts { id } }')).toBe(20);
  });

  it('weighs arguments and input fields as often as they are given', () => {
    expect(cost('{ report }')).toBe(20);
    expect(cost('{ report(depth: 1) }')).toBe(23);
    expect(cost('{ report(input: { deep: true, parts: [{ deep: true }, { deep: false }] }) }')).toBe(41);
    expect(cost('query ($r: Report) { report(input: $r) }', { r: { parts: [{ deep: true }] } })).toBe(27);
  });

  it('takes an interface for the costliest of its types', () => {
    expect(cost('{ node { id } }')).toBe(6);
  });

  it('does not let a negative weight pay for others', () => {
    expect(cost('{ user { name } cheap }')).toBe(2);
    expect(cost('{ cheap user { name } }')).toBe(2);
  });

  it('S-010 counts what @include and @skip leave in', () => {
    const text =
      'query ($v: Boolean!) { user { name @include(if: $v) id @skip(if: $v) posts(first: 2) @include(if: $v) { id } } }';
    expect(cost(text, { v: true })).toBe(1 + 1 + 12);
    expect(cost(text, { v: false })).toBe(1 + 1);
    expect(cost('{ user { name @include(if: false) id @skip(if: true) } }')).toBe(1);
    const fragment = 'query ($v: Boolean!) { ...f @include(if: $v) } fragment f on Query { user { name } }';
    expect([cost(fragment, { v: true }), cost(fragment, { v: false })]).toEqual([2, 0]);
  });

  it('exempts __typename', () => {
    expect(cost('{ __typename user { __typename } }')).toBe(1);
  });

  it('G8: counts introspection by the size of the schema, and again for each alias', () => {
    expect(cost('{ __schema { queryType { name } } }')).toBe(1);
    const types = Object.keys(supergraph.schema.getTypeMap()).length;
    const once = Math.ceil((types * 4 + 2) / 250); // __schema, the list, and each type with three leaves
    expect(cost('{ __schema { types { kind name description } } }')).toBe(once);
    const full = getIntrospectionQuery();
    expect(cost(full)).toBeGreaterThan(5);
    expect(cost(full)).toBeLessThan(1_000);
    const aliased = full.replace(/__schema \{[^]*?\n {6}\}\n/u, (text) => `${text} again: ${text}`);
    expect(cost(aliased)).toBeGreaterThanOrEqual(2 * cost(full) - 1);
  });

  it('G8: counts introspection where conditions leave it in, wherever it stands', () => {
    const text =
      'query ($x: Boolean!) { user { name } __schema @include(if: $x) { types { ...T } } } fragment T on __Type { fields { type { fields { name } } } }';
    expect(cost(text, { x: false })).toBe(2);
    expect(cost(text, { x: true })).toBeGreaterThan(2 + 1);
    const inside =
      'query ($x: Boolean!) { __schema { types { ...T @include(if: $x) name } } } fragment T on __Type { fields { type { fields { name } } } }';
    expect(cost(inside, { x: true })).toBeGreaterThan(cost(inside, { x: false }));
  });

  it('adds a fragment at each of its spreads, with variables too', () => {
    const text =
      'query ($n: Int) { a: user { ...f } b: user { ...f } } fragment f on User { posts(first: $n) { id } }';
    expect(cost(text, { n: 2 })).toBe(2 * (1 + 12));
    expect(cost(text, { n: 3 })).toBe(2 * (1 + 18));
  });

  it('takes linear time where fragments expand exponentially and depend on variables', async () => {
    const levels = Array.from(
      { length: 90 },
      (_, level) =>
        `fragment f${level} on User { friends { ...f${level + 1} } f2: friends { ...f${level + 1} } }`,
    );
    const text = `query ($n: Int) { user { ...f0 } } ${levels.join(' ')} fragment f90 on User { posts(first: $n) { id } }`;
    const elapsedMs = await cpuTimeOf(() => expect(cost(text, { n: 1 })).toBeGreaterThan(1e27));
    expect(elapsedMs).toBeLessThan(200);
  });
});
