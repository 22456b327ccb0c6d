import { describe, expect, it } from 'vitest';
import { buildSchema } from 'graphql';
import { checkSupergraph } from './check-supergraph.ts';
import { compareApiSchemas, type ApiChange } from './compare-api-schemas.ts';
import { composeSubgraphs } from './compose-supergraph.ts';

function changes(before: string, after: string) {
  const { breaking, dangerous } = compareApiSchemas(
    buildSchema(`${before}\nscalar Any`),
    buildSchema(`${after}\nscalar Any`),
  );
  return { breaking: breaking.map(brief), dangerous: dangerous.map(brief) };
}

function brief({ type, coordinate }: ApiChange): string {
  return `${type} ${coordinate}`;
}

const q = 'type Query { a: Int }';

describe('Breaking changes carry the coordinate that they are about', () => {
  it.each([
    ['TYPE_REMOVED A', `${q} type A { b: Int }`, q],
    ['TYPE_REMOVED Float', 'type Query { a: Int b: Float }', 'type Query { a: Int b: Int }'],
    ['TYPE_CHANGED_KIND A', `${q} type A { b: Int }`, `${q} enum A { B }`],
    [
      'TYPE_REMOVED_FROM_UNION U',
      `${q} type A { b: Int } type B { b: Int } union U = A | B`,
      `${q} type A { b: Int } type B { b: Int } union U = A`,
    ],
    ['VALUE_REMOVED_FROM_ENUM E.B', `${q} enum E { A B }`, `${q} enum E { A }`],
    ['REQUIRED_INPUT_FIELD_ADDED I.b', `${q} input I { a: Int }`, `${q} input I { a: Int b: Int! }`],
    [
      'IMPLEMENTED_INTERFACE_REMOVED A',
      `${q} interface N { b: Int } type A implements N { b: Int }`,
      `${q} interface N { b: Int } type A { b: Int }`,
    ],
    ['FIELD_REMOVED Query.b', 'type Query { a: Int b: Int }', q],
    ['FIELD_REMOVED I.b', `${q} input I { a: Int b: Int }`, `${q} input I { a: Int }`],
    ['FIELD_CHANGED_KIND Query.a', q, 'type Query { a: [Int] }'],
    ['REQUIRED_ARG_ADDED Query.a(x:)', q, 'type Query { a(x: Int!): Int }'],
    ['ARG_REMOVED Query.a(x:)', 'type Query { a(x: Int): Int }', q],
    ['ARG_CHANGED_KIND Query.a(x:)', 'type Query { a(x: Int): Int }', 'type Query { a(x: Int!): Int }'],
    ['DIRECTIVE_REMOVED @d', `${q} directive @d on FIELD`, q],
    ['DIRECTIVE_ARG_REMOVED @d(x:)', `${q} directive @d(x: Int) on FIELD`, `${q} directive @d on FIELD`],
    [
      'REQUIRED_DIRECTIVE_ARG_ADDED @d(x:)',
      `${q} directive @d on FIELD`,
      `${q} directive @d(x: Int!) on FIELD`,
    ],
    [
      'DIRECTIVE_REPEATABLE_REMOVED @d',
      `${q} directive @d repeatable on FIELD`,
      `${q} directive @d on FIELD`,
    ],
    ['DIRECTIVE_LOCATION_REMOVED @d', `${q} directive @d on FIELD | QUERY`, `${q} directive @d on FIELD`],
    [
      'DEFAULT_OF_REQUIRED_REMOVED I.b',
      `${q} input I { a: Int b: Int! = 1 }`,
      `${q} input I { a: Int b: Int! }`,
    ],
  ])('%s', (expected, before, after) => {
    expect(changes(before, after).breaking).toContain(expected);
  });

  it('an argument that loses its default and so becomes required is breaking, and reported once', () => {
    expect(changes('type Query { a(x: Int! = 1): Int }', 'type Query { a(x: Int!): Int }')).toEqual({
      breaking: ['DEFAULT_OF_REQUIRED_REMOVED Query.a(x:)'],
      dangerous: [],
    });
  });
});

describe('Dangerous changes carry the coordinate that they are about', () => {
  it.each([
    ['VALUE_ADDED_TO_ENUM E.B', `${q} enum E { A }`, `${q} enum E { A B }`],
    [
      'TYPE_ADDED_TO_UNION U',
      `${q} type A { b: Int } type B { b: Int } union U = A`,
      `${q} type A { b: Int } type B { b: Int } union U = A | B`,
    ],
    ['OPTIONAL_INPUT_FIELD_ADDED I.b', `${q} input I { a: Int }`, `${q} input I { a: Int b: Int }`],
    ['OPTIONAL_ARG_ADDED Query.a(x:)', q, 'type Query { a(x: Int): Int }'],
    [
      'IMPLEMENTED_INTERFACE_ADDED A',
      `${q} interface N { b: Int } type A { b: Int }`,
      `${q} interface N { b: Int } type A implements N { b: Int }`,
    ],
    [
      'ARG_DEFAULT_VALUE_CHANGE Query.a(x:)',
      'type Query { a(x: Int = 1): Int }',
      'type Query { a(x: Int = 2): Int }',
    ],
    [
      'ARG_DEFAULT_VALUE_CHANGE Query.a(x:)',
      'type Query { a(x: Int = 1): Int }',
      'type Query { a(x: Int): Int }',
    ],
  ])('%s', (expected, before, after) => {
    expect(changes(before, after)).toEqual({ breaking: [], dangerous: [expected] });
  });
});

describe('A supergraph against the one before', () => {
  const federation2 =
    'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@inaccessible"])';

  function supergraph(schemas: Readonly<Record<string, string>>): string {
    const composition = composeSubgraphs(
      Object.entries(schemas).map(([name, sdl]) => ({
        name,
        routingUrl: `http://${name}.example`,
        sdl: `${federation2}\n${sdl}`,
        source: name,
      })),
    );
    if (composition.kind === 'failed') throw new Error('It does not compose.');
    return composition.supergraphSdl;
  }

  const before = supergraph({
    users: 'type Query { me: User }\ntype User @key(fields: "id") { id: ID! name: String bio: String }',
  });

  it('changes nothing when a field moves to another subgraph', () => {
    const after = supergraph({
      users: 'type Query { me: User }\ntype User @key(fields: "id") { id: ID! name: String }',
      profiles: 'type User @key(fields: "id") { id: ID! bio: String }',
    });
    expect(checkSupergraph(after, before)).toEqual({ breaking: [], dangerous: [] });
  });

  it('loses a field that becomes @inaccessible, and none that was added so', () => {
    const after = supergraph({
      users:
        'type Query { me: User }\ntype User @key(fields: "id") { id: ID! name: String bio: String @inaccessible secret: String @inaccessible }',
    });
    expect(checkSupergraph(after, before).breaking).toEqual([
      { type: 'FIELD_REMOVED', coordinate: 'User.bio', description: 'User.bio was removed.' },
    ]);
    expect(checkSupergraph(before, after).breaking).toEqual([]);
  });

  it('is rejected when it is none', () => {
    expect(() => checkSupergraph('type Query { a: Int }', before)).toThrow(/@core|@link|supergraph/);
  });
});
