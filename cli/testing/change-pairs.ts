import type { ChangeCode } from '@trellis/composition';

/** Schemas by subgraph. */
export type Schemas = Readonly<Record<string, string>>;

/** One graph before and after one change of a kind. */
export interface ChangePair {
  readonly coordinate: string;
  readonly before: Schemas;
  readonly after: Schemas;
  /** An operation that the change concerns; valid before. */
  readonly used?: string;
  /** An operation that uses the same graph, and nothing that changed. */
  readonly unused?: string;
  /** `gateway.yaml` before and after. */
  readonly settings?: { readonly before: string; readonly after: string };
  /** Routing URLs that differ from the others'. */
  readonly urls?: { readonly before: Schemas; readonly after: Schemas };
}

const LINKS = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@override", "@inaccessible", "@tag", "@interfaceObject", "@authenticated", "@requiresScopes", "@policy", "@cost", "@listSize", "@composeDirective", "@context", "@fromContext"])
  @link(url: "https://specs.trellis.dev/caching/v1.0", import: ["@cacheControl"])
  @composeDirective(name: "@cacheControl")
  @link(url: "https://specs.trellis.dev/subscriptions/v1.0", import: ["@sharedSubscription"])
  @composeDirective(name: "@sharedSubscription")
  @link(url: "https://specs.trellis.dev/limits/v1.0", import: ["@depthAllowance"])
  @composeDirective(name: "@depthAllowance")
directive @cacheControl(maxAge: Int, scope: caching__Scope) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
enum caching__Scope { PUBLIC PRIVATE }
directive @sharedSubscription on FIELD_DEFINITION
directive @depthAllowance(extra: Int!) on FIELD_DEFINITION
`;

function one(
  coordinate: string,
  before: string,
  after: string,
  used?: string,
  unused = '{ other }',
): ChangePair {
  return pair(
    coordinate,
    { s: `type Query { other: Int }\n${before}` },
    { s: `type Query { other: Int }\n${after}` },
    used,
    unused,
  );
}

function pair(
  coordinate: string,
  before: Schemas,
  after: Schemas,
  used?: string,
  unused = '{ other }',
): ChangePair {
  return {
    coordinate,
    before: withLinks(before),
    after: withLinks(after),
    unused,
    ...(used !== undefined && { used }),
  };
}

function withLinks(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).map(([name, sdl]) => [name, `${LINKS}${sdl}`]));
}

/** Of the field `Query.a`, before and after. */
function fieldA(coordinate: string, before: string, after: string, used = '{ a }', types = ''): ChangePair {
  return one(
    coordinate,
    `extend type Query { a${before} }\n${types}`,
    `extend type Query { a${after} }\n${types}`,
    used,
  );
}

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

const TOKEN = '@authenticated';
const scopes = (...names: readonly string[]): string =>
  `@requiresScopes(scopes: [[${names.map((name) => `"${name}"`).join(', ')}]])`;

const USERS = 'type Query { other: Int user: User }\ntype User @key(fields: "id") { id: ID! name: String }';
const MOVED = 'type User @key(fields: "id") { id: ID! bio: String }';

/** A type with an interface, of which `rest` belongs to the pair. */
function node(rest: string): string {
  return `extend type Query { n: N b: B }\ninterface N { id: ID! }\ntype A implements N { id: ID! }\n${rest}`;
}

const CONTEXT = (field: string): string =>
  `type Query { other: Int t: T }\ntype T @key(fields: "id") @context(name: "t") { id: ID! v: String! w: String! u: U! }\ntype U @key(fields: "id") { id: ID! f(x: String @fromContext(field: "$t { ${field} }")): String }`;

const MEDIA =
  'type Query { other: Int m: Media }\ninterface Media @key(fields: "id") { id: ID! }\ntype Book implements Media @key(fields: "id") { id: ID! }';

/** One pair for each kind of change: what a check has to find. */
export const changePairs: Readonly<Partial<Record<ChangeCode, ChangePair>>> = {
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

  RIGHTS_ADDED: fieldA('Query.a', ': Int', `: Int ${TOKEN}`),
  RIGHTS_TIGHTENED: fieldA('Query.a', `: Int ${scopes('a')}`, `: Int ${scopes('a', 'b')}`),
  RIGHTS_LOOSENED: fieldA('Query.a', `: Int ${scopes('a', 'b')}`, `: Int ${scopes('a')}`),
  RIGHTS_REMOVED: fieldA('Query.a', `: Int ${scopes('a')}`, ': Int'),
  RIGHTS_REPLACED: fieldA('Query.a', `: Int ${scopes('a')}`, `: Int ${scopes('admin')}`),
  POLICY_ADDED: fieldA('Query.a', ': Int', ': Int @policy(policies: [["p"]])'),
  POLICY_REMOVED: fieldA('Query.a', ': Int @policy(policies: [["p"]])', `: Int ${TOKEN}`),
  COST_RAISED: fieldA('Query.a', ': Int @cost(weight: 5)', ': Int @cost(weight: 5000)'),
  COST_LOWERED: fieldA('Query.a', ': Int @cost(weight: 5)', ': Int'),
  LIST_SIZE_CHANGED: fieldA('Query.a', ': [Int] @listSize(assumedSize: 5)', ': [Int]'),
  DEPTH_ALLOWANCE_CHANGED: fieldA(
    'Query.a',
    ': T @depthAllowance(extra: 3)',
    ': T',
    '{ a { b } }',
    'type T { b: Int }',
  ),
  LIMIT_LOWERED: {
    ...fieldA('limits.cost', ': Int @cost(weight: 50)', ': Int @cost(weight: 50)'),
    settings: { before: 'limits: { cost: 100 }', after: 'limits: { cost: 10 }' },
  },
  CACHE_MADE_PUBLIC: fieldA(
    'Query.a',
    ': Int @cacheControl(maxAge: 9, scope: PRIVATE)',
    ': Int @cacheControl(maxAge: 9, scope: PUBLIC)',
  ),
  CACHE_MADE_PRIVATE: fieldA(
    'Query.a',
    ': Int @cacheControl(maxAge: 9, scope: PUBLIC)',
    ': Int @cacheControl(maxAge: 9, scope: PRIVATE)',
  ),
  CACHE_AGE_RAISED: fieldA('Query.a', ': Int @cacheControl(maxAge: 9)', ': Int @cacheControl(maxAge: 99)'),
  CACHE_AGE_LOWERED: fieldA('Query.a', ': Int @cacheControl(maxAge: 9)', ': Int'),
  SHARED_SUBSCRIPTION_ADDED: one(
    'Subscription.a',
    'type Subscription { a: Int }',
    'type Subscription { a: Int @sharedSubscription }',
    'subscription { a }',
  ),
  SHARED_SUBSCRIPTION_REMOVED: one(
    'Subscription.a',
    'type Subscription { a: Int @sharedSubscription }',
    'type Subscription { a: Int }',
    'subscription { a }',
  ),
  SUBSCRIPTION_MOVED: pair(
    'Subscription.a',
    { s: 'type Query { other: Int }\ntype Subscription { a: Int b: Int }', t: 'type Query { t: Int }' },
    {
      s: 'type Query { other: Int }\ntype Subscription { b: Int }',
      t: 'type Query { t: Int }\ntype Subscription { a: Int }',
    },
    'subscription { a }',
  ),
  SUBSCRIPTION_TRANSPORT_CHANGED: {
    ...one('s', 'type Subscription { a: Int }', 'type Subscription { a: Int }', 'subscription { a }'),
    settings: { before: '{}', after: 'subscriptions: { transport: sse }' },
  },
  TAG_ADDED: fieldA('Query.a', ': Int', ': Int @tag(name: "partner")'),
  TAG_REMOVED: fieldA('Query.a', ': Int @tag(name: "partner") @deprecated', ': Int @deprecated'),
  ROUTING_URL_CHANGED: {
    ...one('s', '', ''),
    urls: { before: {}, after: { s: 'http://elsewhere.example' } },
  },
  ROUTING_URL_INSECURE: {
    ...one('s', '', ''),
    urls: { before: { s: 'https://s.example' }, after: { s: 'http://s.example' } },
  },
  SUBGRAPH_ADDED: pair('t', { s: USERS }, { s: USERS, t: 'type Query { t: Int }' }),
  SUBGRAPH_REMOVED: pair('t', { s: USERS, t: 'type Query { t: Int }' }, { s: USERS }),
  KEY_ADDED: pair(
    'User',
    { s: USERS },
    { s: USERS.replace('{ id: ID!', '@key(fields: "name") { id: ID!') },
    '{ user { name } }',
  ),
  KEY_REMOVED: pair(
    'User',
    { s: USERS.replace('{ id: ID!', '@key(fields: "name") { id: ID!') },
    { s: USERS },
    '{ user { name } }',
  ),
  KEY_RESOLVABLE_CHANGED: pair(
    'User',
    { s: USERS },
    { s: USERS.replace('"id")', '"id", resolvable: false)') },
    '{ user { name } }',
  ),
  REQUIRES_CHANGED: pair(
    'User.bio',
    {
      s: `${USERS}\nextend type User { a: Int b: Int }`,
      t: 'type User @key(fields: "id") { id: ID! a: Int @external bio: String @requires(fields: "a") }',
    },
    {
      s: `${USERS}\nextend type User { a: Int b: Int }`,
      t: 'type User @key(fields: "id") { id: ID! a: Int @external b: Int @external bio: String @requires(fields: "a b") }',
    },
    '{ user { bio } }',
  ),
  PROVIDES_CHANGED: pair(
    'Query.best',
    {
      s: USERS.replace('name: String', 'name: String @shareable'),
      t: 'type Query { best: User @provides(fields: "name") }\ntype User @key(fields: "id") { id: ID! name: String @external }',
    },
    {
      s: USERS.replace('name: String', 'name: String @shareable'),
      t: 'type Query { best: User }\ntype User @key(fields: "id") { id: ID! }',
    },
    '{ best { name } }',
  ),
  CONTEXT_CHANGED: pair(
    'U.f',
    { s: CONTEXT('v'), t: 'type U @key(fields: "id") { id: ID! g: Int }' },
    { s: CONTEXT('w'), t: 'type U @key(fields: "id") { id: ID! g: Int }' },
    '{ t { u { f } } }',
  ),
  INTERFACE_OBJECT_CHANGED: pair(
    'Media',
    { s: MEDIA, t: 'type Media @interfaceObject @key(fields: "id") { id: ID! stars: Int }' },
    {
      s: MEDIA,
      t: 'interface Media @key(fields: "id") { id: ID! stars: Int }\ntype Book implements Media @key(fields: "id") { id: ID! stars: Int }',
    },
    '{ m { stars } }',
  ),
  OVERRIDE_ADDED: pair(
    'User.bio',
    {
      s: `${USERS}\nextend type User { bio: String }`,
      t: 'type User @key(fields: "id") { id: ID! }\ntype Query { t: Int }',
    },
    {
      s: `${USERS}\nextend type User { bio: String }`,
      t: `type Query { t: Int }\n${MOVED.replace('bio: String', 'bio: String @override(from: "s")')}`,
    },
    '{ user { bio } }',
  ),
  OVERRIDE_REMOVED: pair(
    'User.bio',
    {
      s: `${USERS}\nextend type User { bio: String }`,
      t: MOVED.replace('bio: String', 'bio: String @override(from: "s")'),
    },
    { s: USERS, t: MOVED },
    '{ user { bio } }',
  ),
  OVERRIDE_LABEL_CHANGED: pair(
    'User.bio',
    {
      s: `${USERS}\nextend type User { bio: String }`,
      t: MOVED.replace('bio: String', 'bio: String @override(from: "s", label: "percent(1)")'),
    },
    {
      s: `${USERS}\nextend type User { bio: String }`,
      t: MOVED.replace('bio: String', 'bio: String @override(from: "s", label: "percent(50)")'),
    },
    '{ user { bio } }',
  ),
  FIELD_MOVED: pair(
    'User.bio',
    {
      s: `${USERS}\nextend type User { bio: String }`,
      t: 'type User @key(fields: "id") { id: ID! }\ntype Query { t: Int }',
    },
    { s: USERS, t: `type Query { t: Int }\n${MOVED}` },
    '{ user { bio } }',
  ),
  RESOLVER_ADDED: pair(
    'User.bio',
    {
      s: `${USERS}\nextend type User { bio: String @shareable }`,
      t: 'type User @key(fields: "id") { id: ID! }\ntype Query { t: Int }',
    },
    {
      s: `${USERS}\nextend type User { bio: String @shareable }`,
      t: `type Query { t: Int }\n${MOVED.replace('bio: String', 'bio: String @shareable')}`,
    },
    '{ user { bio } }',
  ),
  RESOLVER_REMOVED: pair(
    'User.bio',
    {
      s: `${USERS}\nextend type User { bio: String @shareable }`,
      t: `type Query { t: Int }\n${MOVED.replace('bio: String', 'bio: String @shareable')}`,
    },
    {
      s: `${USERS}\nextend type User { bio: String @shareable }`,
      t: 'type User @key(fields: "id") { id: ID! }\ntype Query { t: Int }',
    },
    '{ user { bio } }',
  ),
};
