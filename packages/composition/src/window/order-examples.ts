/** Schemas by subgraph. */
type Schemas = Readonly<Record<string, string>>;

/** What each schema of an example begins with. */
export const orderExampleLink: string =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@override", "@interfaceObject", "@context", "@fromContext"])\n';

const USERS: string =
  'type Query { other: Int user: User }\ntype User @key(fields: "id") { id: ID! name: String }\n';
const T = 'type Query { t: Int }\n';
const bio = (rest = ''): string => `extend type User { bio: String ${rest} }`;
const ofT = (fields: string): string => `${T}type User @key(fields: "id") { id: ID! ${fields} }`;
const DEPLOY_S = 'ordered · deploy s · publish';
const PUBLISH_S = 'ordered · publish · deploy s';

const query = (fields: string, types = ''): Schemas => ({
  s: `type Query { other: Int ${fields} }\n${types}`,
});

const N = 'interface N { id: ID! }\ntype A implements N { id: ID! }\n';

/**
 * Changes with the order of deployment that is right for each: docs/deployment-orders.md shows them, tests of the proof and the proof
 * `deployment-orders` run them.
 */
export const orderExamples: readonly (readonly [
  title: string,
  before: Schemas,
  after: Schemas,
  order: string,
])[] = [
  ['a description changed', query('"old" a: Int'), query('"new" a: Int'), 'nothing'],
  ['a field was added', query(''), query('a: Int'), DEPLOY_S],
  ['a field was removed', query('a: Int'), query(''), PUBLISH_S],
  ['a field became nullable', query('a: Int!'), query('a: Int'), PUBLISH_S],
  ['a field became non-null', query('a: Int'), query('a: Int!'), DEPLOY_S],
  ['a field returns another type', query('a: Int'), query('a: String'), 'not-in-one-step'],
  ['an optional argument was added', query('a: Int'), query('a(x: Int): Int'), DEPLOY_S],
  ['an argument was removed', query('a(x: Int): Int'), query('a: Int'), PUBLISH_S],
  ['a required argument was added', query('a: Int'), query('a(x: Int!): Int'), 'not-in-one-step'],
  [
    'an optional input field was added',
    query('a(i: I): Int', 'input I { k: Int }'),
    query('a(i: I): Int', 'input I { k: Int b: Int }'),
    DEPLOY_S,
  ],
  [
    'a required input field was added',
    query('a(i: I): Int', 'input I { k: Int }'),
    query('a(i: I): Int', 'input I { k: Int b: Int! }'),
    'not-in-one-step',
  ],
  [
    'an input became @oneOf',
    query('a(i: I): Int', 'input I { k: Int b: Int }'),
    query('a(i: I): Int', 'input I @oneOf { k: Int b: Int }'),
    PUBLISH_S,
  ],
  [
    'an enum value was added that is returned',
    query('a: E', 'enum E { A }'),
    query('a: E', 'enum E { A B }'),
    PUBLISH_S,
  ],
  [
    'an enum value was added that is sent',
    query('a(e: E): Int', 'enum E { A }'),
    query('a(e: E): Int', 'enum E { A B }'),
    DEPLOY_S,
  ],
  [
    'an enum value was removed that is returned',
    query('a: E', 'enum E { A B }'),
    query('a: E', 'enum E { A }'),
    DEPLOY_S,
  ],
  [
    'an enum value was added that is returned, and a field',
    query('a: E', 'enum E { A }'),
    query('a: E b: Int', 'enum E { A B }'),
    'not-in-one-step',
  ],
  [
    'a union got a member',
    query('u: U', 'type A { a: Int }\nunion U = A'),
    query('u: U', 'type A { a: Int }\ntype B { b: Int }\nunion U = A | B'),
    'not-in-one-step',
  ],
  [
    'an interface got an implementation',
    query('n: N', N),
    query('n: N', `${N}type B implements N { id: ID! }`),
    'not-in-one-step',
  ],
  ['a subgraph was added', { s: USERS }, { s: USERS, t: ofT('bio: String') }, 'ordered · deploy t · publish'],
  ['a subgraph was removed', { s: USERS, t: ofT('bio: String') }, { s: USERS }, 'ordered · publish · end t'],
  [
    'a field moved in one step',
    { s: USERS + bio(), t: ofT('') },
    { s: USERS, t: ofT('bio: String') },
    'ordered · deploy t · publish · deploy s',
  ],
  [
    'a field moves by @override',
    { s: USERS + bio(), t: ofT('') },
    { s: USERS + bio(), t: ofT('bio: String @override(from: "s")') },
    'ordered · deploy t · publish',
  ],
  [
    'an overridden field was removed where it was',
    { s: USERS + bio(), t: ofT('bio: String @override(from: "s")') },
    { s: USERS, t: ofT('bio: String @override(from: "s")') },
    'any-order',
  ],
  [
    'a field requires more',
    {
      s: `${USERS}extend type User { a: Int b: Int }`,
      t: ofT('a: Int @external c: Int @requires(fields: "a")'),
    },
    {
      s: `${USERS}extend type User { a: Int b: Int }`,
      t: ofT('a: Int @external b: Int @external c: Int @requires(fields: "a b")'),
    },
    'ordered · publish · deploy t',
  ],
  [
    'a field requires less',
    {
      s: `${USERS}extend type User { a: Int b: Int }`,
      t: ofT('a: Int @external b: Int @external c: Int @requires(fields: "a b")'),
    },
    {
      s: `${USERS}extend type User { a: Int b: Int }`,
      t: ofT('a: Int @external c: Int @requires(fields: "a")'),
    },
    'ordered · deploy t · publish',
  ],
  [
    'entities are found by another key',
    {
      s: USERS.replace('name: String', 'name: String!').replace(
        '@key(fields: "id")',
        '@key(fields: "id") @key(fields: "name")',
      ),
      t: `${T}type User @key(fields: "id") { id: ID! bio: String }`,
    },
    {
      s: USERS.replace('name: String', 'name: String!').replace(
        '@key(fields: "id")',
        '@key(fields: "id") @key(fields: "name")',
      ),
      t: `${T}type User @key(fields: "name") { name: String! bio: String }`,
    },
    'not-in-one-step',
  ],
  [
    'a key is not resolvable any more where nothing needs it',
    { s: USERS, t: ofT('') },
    { s: USERS, t: `${T}type User @key(fields: "id", resolvable: false) { id: ID! }` },
    'any-order',
  ],
  [
    'a provided field is not provided any more',
    {
      s: USERS.replace('name: String', 'name: String @shareable'),
      t: 'type Query { best: User @provides(fields: "name") }\ntype User @key(fields: "id") { id: ID! name: String @external }',
    },
    {
      s: USERS.replace('name: String', 'name: String @shareable'),
      t: 'type Query { best: User }\ntype User @key(fields: "id") { id: ID! }',
    },
    'ordered · publish · deploy t',
  ],
  [
    'a field of a root type of another name became non-null',
    { s: 'schema { query: Root }\ntype Root { other: Int a: Int }' },
    { s: 'schema { query: Root }\ntype Root { other: Int a: Int! }' },
    DEPLOY_S,
  ],
  [
    'a mutation was added to a subgraph without any',
    { s: 'type Query { other: Int }' },
    { s: 'type Query { other: Int }\ntype Mutation { change(x: Int): Int! }' },
    DEPLOY_S,
  ],
];
