import { fieldA, one, type ChangePair, type ChangePairs } from './change-pair.ts';

/** Of an input `I` that `Query.a` takes. */
function inputI(
  coordinate: string,
  before: string,
  after: string,
  used: string,
  mark: readonly [string, string] = ['', ''],
): ChangePair {
  const query = 'extend type Query { a(i: I): Int }';
  return one(
    coordinate,
    `${query}\ninput I${mark[0]} { ${before} }`,
    `${query}\ninput I${mark[1]} { ${after} }`,
    used,
    '{ a(i: { k: 1 }) }',
  );
}

function enumE(coordinate: string, before: string, after: string, field: string, used: string): ChangePair {
  const query = `extend type Query { ${field} }`;
  return one(coordinate, `${query}\nenum E { ${before} }`, `${query}\nenum E { ${after} }`, used);
}

/** A type with an interface, of which `rest` belongs to the pair. */
function node(rest: string): string {
  return `extend type Query { n: N b: B }\ninterface N { id: ID! }\ntype A implements N { id: ID! }\n${rest}`;
}

/** Of types, fields, arguments and directives. */
export const schemaPairs: ChangePairs = {
  TYPE_REMOVED: one('A', 'extend type Query { a: A }\ntype A { b: Int }', '', '{ a { b } }'),
  TYPE_ADDED: one('A', '', 'extend type Query { a: A }\ntype A { b: Int }'),
  TYPE_CHANGED_KIND: one(
    'A',
    'extend type Query { a: A }\ntype A { b: Int }',
    'extend type Query { a: A }\nenum A { B }',
    '{ a { b } }',
  ),
  FIELD_REMOVED: one('Query.a', 'extend type Query { a: Int }', '', '{ a }'),
  FIELD_ADDED: one('Query.a', '', 'extend type Query { a: Int }'),
  FIELD_CHANGED_KIND: fieldA('Query.a', ': Int', ': [Int]'),
  FIELD_BECAME_NULLABLE: fieldA('Query.a', ': [Int!]', ': [Int]'),
  FIELD_BECAME_NON_NULL: fieldA('Query.a', ': Int', ': Int!'),
  FIELD_DEPRECATED: fieldA('Query.a', ': Int', ': Int @deprecated(reason: "old")'),
  FIELD_NO_LONGER_DEPRECATED: fieldA('Query.a', ': Int @deprecated(reason: "old")', ': Int'),
  ARG_REMOVED: { ...fieldA('Query.a(x:)', '(x: Int): Int', ': Int', '{ a(x: 1) }'), unused: '{ a }' },
  REQUIRED_ARG_ADDED: fieldA('Query.a(x:)', ': Int', '(x: Int!): Int'),
  OPTIONAL_ARG_ADDED: fieldA('Query.a(x:)', ': Int', '(x: Int): Int'),
  ARG_CHANGED_KIND: {
    ...fieldA('Query.a(x:)', '(x: Int): Int', '(x: String): Int', '{ a(x: 1) }'),
    unused: '{ a }',
  },
  ARG_BECAME_REQUIRED: { ...fieldA('Query.a(x:)', '(x: Int): Int', '(x: Int!): Int'), unused: '{ a(x: 1) }' },
  ARG_BECAME_OPTIONAL: fieldA('Query.a(x:)', '(x: Int!): Int', '(x: Int): Int', '{ a(x: 1) }'),
  ARG_DEFAULT_VALUE_CHANGE: fieldA('Query.a(x:)', '(x: Int = 1): Int', '(x: Int = 2): Int'),
  DEFAULT_OF_REQUIRED_REMOVED: {
    ...fieldA('Query.a(x:)', '(x: Int! = 1): Int', '(x: Int!): Int'),
    unused: '{ a(x: 1) }',
  },
  INPUT_FIELD_REMOVED: inputI('I.b', 'k: Int b: Int', 'k: Int', '{ a(i: { b: 1 }) }'),
  REQUIRED_INPUT_FIELD_ADDED: {
    ...inputI('I.b', 'k: Int', 'k: Int b: Int!', '{ a(i: { k: 1 }) }'),
    unused: '{ a }',
  },
  OPTIONAL_INPUT_FIELD_ADDED: inputI('I.b', 'k: Int', 'k: Int b: Int', '{ a(i: { k: 1 }) }'),
  INPUT_FIELD_CHANGED_KIND: inputI('I.b', 'k: Int b: Int', 'k: Int b: String', '{ a(i: { b: 1 }) }'),
  INPUT_FIELD_BECAME_REQUIRED: {
    ...inputI('I.b', 'k: Int b: Int', 'k: Int b: Int!', '{ a(i: { k: 1 }) }'),
    unused: '{ a(i: { b: 1 }) }',
  },
  INPUT_FIELD_BECAME_OPTIONAL: {
    ...inputI('I.b', 'k: Int b: Int!', 'k: Int b: Int', '{ a(i: { b: 1 }) }'),
    unused: '{ other }',
  },
  INPUT_FIELD_DEFAULT_CHANGED: {
    ...inputI('I.b', 'k: Int b: Int = 1', 'k: Int b: Int = 2', '{ a(i: { k: 1 }) }'),
    unused: '{ other }',
  },
  INPUT_DEPRECATED: inputI(
    'I.b',
    'k: Int b: Int',
    'k: Int b: Int @deprecated(reason: "old")',
    '{ a(i: { b: 1 }) }',
  ),
  ONE_OF_ADDED: {
    ...inputI('I', 'k: Int b: Int', 'k: Int b: Int', '{ a(i: { k: 1, b: 2 }) }', ['', ' @oneOf']),
    unused: '{ a(i: { k: 1 }) }',
  },
  ONE_OF_REMOVED: inputI('I', 'k: Int b: Int', 'k: Int b: Int', '{ a(i: { k: 1 }) }', [' @oneOf', '']),
  VALUE_REMOVED_FROM_ENUM: {
    ...enumE('E.B', 'A B', 'A', 'a(e: E): Int', '{ a(e: B) }'),
    unused: '{ a(e: A) }',
  },
  VALUE_REMOVED_FROM_OUTPUT_ENUM: enumE('E.B', 'A B', 'A', 'a: E', '{ a }'),
  VALUE_ADDED_TO_ENUM: enumE('E.B', 'A', 'A B', 'a: E', '{ a }'),
  VALUE_ADDED_TO_INPUT_ENUM: enumE('E.B', 'A', 'A B', 'a(e: E): Int', '{ a(e: A) }'),
  VALUE_DEPRECATED: enumE('E.B', 'A B', 'A B @deprecated(reason: "old")', 'a: E', '{ a }'),
  TYPE_REMOVED_FROM_UNION: {
    ...one(
      'U',
      'extend type Query { u: U }\ntype A { b: Int }\ntype B { b: Int }\nunion U = A | B',
      'extend type Query { u: U b: B }\ntype A { b: Int }\ntype B { b: Int }\nunion U = A',
      '{ u { ... on B { b } } }',
    ),
    unused: '{ u { ... on A { b } } }',
  },
  TYPE_ADDED_TO_UNION: one(
    'U',
    'extend type Query { u: U b: B }\ntype A { b: Int }\ntype B { b: Int }\nunion U = A',
    'extend type Query { u: U b: B }\ntype A { b: Int }\ntype B { b: Int }\nunion U = A | B',
    '{ u { __typename } }',
  ),
  IMPLEMENTED_INTERFACE_REMOVED: {
    ...one(
      'B',
      node('type B implements N { id: ID! }'),
      node('type B { id: ID! }'),
      '{ n { ... on B { id } } }',
    ),
    unused: '{ n { id } }',
  },
  IMPLEMENTED_INTERFACE_ADDED: one(
    'B',
    node('type B { id: ID! }'),
    node('type B implements N { id: ID! }'),
    '{ n { id } }',
  ),
  DIRECTIVE_REMOVED: one('@mark', 'directive @mark on FIELD', '', '{ other @mark }'),
  DIRECTIVE_ADDED: one('@mark', '', 'directive @mark on FIELD', '{ other }'),
  DIRECTIVE_ARG_REMOVED: one(
    '@mark(x:)',
    'directive @mark(x: Int) on FIELD',
    'directive @mark on FIELD',
    '{ other @mark(x: 1) }',
  ),
  REQUIRED_DIRECTIVE_ARG_ADDED: one(
    '@mark(x:)',
    'directive @mark on FIELD',
    'directive @mark(x: Int!) on FIELD',
    '{ other @mark }',
  ),
  OPTIONAL_DIRECTIVE_ARG_ADDED: one(
    '@mark(x:)',
    'directive @mark on FIELD',
    'directive @mark(x: Int) on FIELD',
    '{ other @mark }',
  ),
  DIRECTIVE_REPEATABLE_REMOVED: one(
    '@mark',
    'directive @mark repeatable on FIELD',
    'directive @mark on FIELD',
    '{ other @mark @mark }',
  ),
  DIRECTIVE_LOCATION_REMOVED: one(
    '@mark',
    'directive @mark on FIELD | QUERY',
    'directive @mark on FIELD',
    'query @mark { other }',
  ),
  DIRECTIVE_LOCATION_ADDED: one(
    '@mark',
    'directive @mark on FIELD',
    'directive @mark on FIELD | QUERY',
    '{ other @mark }',
  ),
  SCALAR_SPECIFICATION_CHANGED: one(
    'S',
    'extend type Query { a: S }\nscalar S @specifiedBy(url: "https://a.example")',
    'extend type Query { a: S }\nscalar S @specifiedBy(url: "https://b.example")',
    '{ a }',
  ),
};
