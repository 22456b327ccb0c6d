import {
  buildASTSchema,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLError,
} from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { RuleSet, validateDocument, type ValidationBounds } from './validate-document.ts';

const schema = buildASTSchema(gql`
  directive @mark(by: String!) on FIELD | QUERY
  directive @note(text: String) repeatable on FIELD
  type Query {
    dog(name: String, size: Size, like: Like): Dog
    pet: Pet
    cat: Cat
    one: One
    need(id: ID!): Int
  }
  type Subscription {
    barked: Int
    purred: Int
  }
  interface Pet {
    name: String
  }
  type Dog implements Pet {
    name: String
    barks: Boolean
    owner: Dog
    age(inYears: Boolean = true): Int
  }
  type Cat implements Pet {
    name: String
    meows: Boolean
  }
  union One = Dog | Cat
  enum Size {
    SMALL
    LARGE
  }
  input Like {
    size: Size!
    count: Int = 1
    more: [Like!]
  }
`);

/** One for all documents: what the first one shows of the rules holds for the others. */
const RULES = new RuleSet(specifiedRules);

const VALID = [
  '{ dog { name owner { name } } }',
  'query q($n: String, $like: Like) @mark(by: "me") { dog(name: $n, like: $like) { ...d owner @note @note { name } } } fragment d on Dog { age }',
  '"what for" query ("the name" $n: Int, "or so" $s: Size = LARGE) { dog(like: { size: $s, count: $n }) { name } }',
  '{ pet { ... on Dog { barks } ... on Cat { meows } } one { __typename } need(id: 1) @include(if: true) }',
  'subscription { barked }',
  '{ __schema { types { name } } }',
];

const INVALID = [
  '"more" type More { a: Nothing } extend type Query @skip(if: true) { b: Int } { dog { name } }',
  'query q { dog { name } } query q { cat { name } } { pet { name } }',
  'subscription { barked purred }',
  'query ($a: Nothing, $b: Dog, "text" $c: Int) { dog { ...on Nothing { name } ...on Size { name } } }',
  '{ dog need(id: 1) { deeper } }',
  '{ dog { nme owner { colour { deeper } } } doog { name } }',
  '{ dog { ...f ...missing } } fragment f on Dog { ...g } fragment g on Dog { ...f } fragment f on Cat { name } fragment h on Dog { name }',
  '{ dog { ... on Cat { meows } ...c } } fragment c on Cat { meows }',
  'query ($a: Int, $a: Int, $unused: Int) { dog(name: $missing, like: { size: $missing }) { ...f } } fragment f on Dog { age(inYears: $a) }',
  '{ dog @unknown @mark { name @skip(if: true) @skip(if: false) @mark(by: "a", nothing: 1) } } query @note { dog { name } }',
  '{ dog(nam: 1, name: "a", name: "b") { age(inYears: 1, years: true) } need }',
  'query ($n: Size = HUGE) { dog(size: HUGE, like: { size: [1], size: null, colour: 1, more: { count: "x" } }) { name } }',
  'query ($n: Int, $l: [Like]) { dog(name: $n, like: { size: SMALL, more: $l }) { name } }',
  '{ dog { a: name a: barks owner { a: name } owner { a: barks } } pet { ... on Dog { x: name } ... on Cat { x: meows } } }',
  `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
  `{ ${Array.from({ length: 25 }, (_, index) => `unknown${index}`).join(' ')} dog(nothing: 1) }`,
];

/** More work for graphql-js than it lets one document make. */
function manyUses(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const operations = numbers.map((number) => `query q${number} { dog { ...f0 ...f${number} } }`);
  const fragments = numbers.map((number) => `fragment f${number} on Dog { ...f${number + 1} }`);
  return [...operations, ...fragments, `fragment f${count} on Dog { name }`].join(' ');
}

const textOf = ({ message, locations }: GraphQLError): string => `${message} ${JSON.stringify(locations)}`;

const BOUNDS: ValidationBounds = { maxErrors: 20, hideSuggestions: true };

function expectTheSame(document: DocumentNode, bounds: ValidationBounds): void {
  const expected = validate(schema, document, specifiedRules, bounds);
  const found = validateDocument(schema, document, RULES, bounds);
  expect(found.map(textOf)).toEqual(expected.map(textOf));
}

describe('A document is found to have the errors that graphql-js finds, in its order', () => {
  it.each(VALID)('when there are none: %s', (text) => {
    expect(validateDocument(schema, parse(text), RULES, BOUNDS)).toEqual([]);
    expectTheSame(parse(text), BOUNDS);
  });

  it.each(INVALID)('with suggestions and without, many or few of them: %s', (text) => {
    const document = parse(text);
    for (const maxErrors of [0, 1, 3, 20, 100]) {
      expectTheSame(document, { maxErrors, hideSuggestions: true });
      expectTheSame(document, { maxErrors, hideSuggestions: false });
    }
  });

  it('when their fragments take too long to follow', () => {
    const document = parse(manyUses(250));
    expectTheSame(document, BOUNDS);
    expect(validateDocument(schema, document, RULES, BOUNDS)).toHaveLength(1);
  });

  it('by every rule', () => {
    const documents = INVALID.map((text) => parse(text));
    const silent = specifiedRules.filter((rule) =>
      documents.every((document) => validate(schema, document, [rule]).length === 0),
    );
    expect(silent).toEqual([]);
  });
});
