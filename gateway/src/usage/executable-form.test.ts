import {
  buildASTSchema,
  parse,
  validate,
  Kind,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
} from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { executableFormOf } from './executable-form.ts';

const schema = buildASTSchema(gql`
  enum Order {
    NEWEST
    OLDEST
  }
  input Filter {
    text: String
    tags: [String!]
    order: Order
    within: Filter
    flag: Boolean
  }
  scalar Any
  type Query {
    any(value: Any, values: [Any]): Int
    posts(first: Int = 10, filter: Filter, ids: [ID!], order: Order): [Post]
    need(count: Int!): Int
  }
  type Post {
    id: ID!
    title(max: Int): String
    likes: Int
  }
`);

function formOf(text: string, maxBytes = 1_000): string {
  const { definitions } = parse(text);
  const definition = definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  return executableFormOf(
    {
      definition: definition as OperationDefinitionNode,
      fragments: new Map(fragments.map((one: FragmentDefinitionNode) => [one.name.value, one])),
    },
    schema,
    maxBytes,
  ).text;
}

const CASES: readonly (readonly [why: string, text: string, form: string])[] = [
  [
    'numbers and texts become variables',
    '{ posts(first: 3) { id title(max: 80) } }',
    'query($literal1:Int$literal2:Int){posts(first:$literal1){id title(max:$literal2)}}',
  ],
  [
    'lists of them become one',
    '{ posts(ids: ["a", "b"]) { id } }',
    'query($literal1:[ID!]){posts(ids:$literal1){id}}',
  ],
  [
    'input objects keep their names, enum values and flags',
    '{ posts(filter: { text: "secret", order: NEWEST, flag: true, within: { tags: ["x"] } }) { id } }',
    'query($literal1:String$literal2:[String!]){posts(filter:{text:$literal1 order:NEWEST flag:true within:{tags:$literal2}}){id}}',
  ],
  [
    'a list with a variable in it keeps that',
    'query($a: ID!) { posts(ids: [$a, "secret"]) { id } }',
    'query($a:ID!$literal1:ID!){posts(ids:[$a$literal1]){id}}',
  ],
  [
    'a name that is taken is not taken again',
    'query($literal1: Int) { posts(first: $literal1, ids: "a") { id } }',
    'query($literal1:Int$literal2:[ID!]){posts(first:$literal1 ids:$literal2){id}}',
  ],
  [
    'a default is left out, and the variable is as good as with it',
    'query($n: Int = 5) { need(count: $n) }',
    'query($n:Int!){need(count:$n)}',
  ],
  [
    'directives keep their arguments',
    'query($on: Boolean!) { posts { id likes @include(if: $on) title @skip(if: false) } }',
    'query($on:Boolean!){posts{id likes@include(if:$on)title@skip(if:false)}}',
  ],
  [
    'fragments that are not used are left out',
    '{ posts { ...Used } } fragment Used on Post { title(max: 1) } fragment Unused on Post { id }',
    'query($literal1:Int){posts{...Used}}fragment Used on Post{title(max:$literal1)}',
  ],
  [
    'what a scalar of the graph holds becomes a variable, with all that is in it',
    'query($a: Any, $b: Any) { any(value: { secret: ["x", $a], on: true }, values: [{ y: 1 }]) need(count: 1) title: any(value: $b) }',
    'query($b:Any$literal1:Any$literal2:Any$literal3:Int!){any(value:$literal1 values:[$literal2])need(count:$literal3)title:any(value:$b)}',
  ],
  [
    'names and aliases stay',
    'query Feed { newest: posts(order: NEWEST) { id } }',
    'query Feed{newest:posts(order:NEWEST){id}}',
  ],
];

describe('The executable form of an operation', () => {
  it.each(CASES)('%s', (_why, text, form) => {
    expect(validate(schema, parse(text)).filter(({ message }) => !message.includes('never used'))).toEqual(
      [],
    );
    expect(formOf(text)).toBe(form);
    expect(validate(schema, parse(form))).toEqual([]);
    expect(formOf(form), 'it is a fixed point').toBe(form);
  });

  it.each([
    ['the names of its fields', `{ ${'a'.repeat(999)}: __typename }`],
    [
      'those of the fragments that it uses',
      `{ ...F } fragment F on Query { ${'a'.repeat(999)}: __typename }`,
    ],
    ['all of it', `query ${'a'.repeat(999)} { __typename }`],
  ])('M6: is not made where it is longer than is recorded, by %s', (_what, text) => {
    expect(() => formOf(text)).toThrow(RangeError);
    expect(formOf(text, 2_000).length).toBeGreaterThan(1_000);
  });
});
