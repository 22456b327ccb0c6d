import { one, pair, type ChangePairs } from './change-pair.ts';

const USERS = 'type Query { other: Int user: User }\ntype User @key(fields: "id") { id: ID! name: String }';
const MOVED = 'type User @key(fields: "id") { id: ID! bio: String }';

const CONTEXT = (field: string): string =>
  `type Query { other: Int t: T }\ntype T @key(fields: "id") @context(name: "t") { id: ID! v: String! w: String! u: U! }\ntype U @key(fields: "id") { id: ID! f(x: String @fromContext(field: "$t { ${field} }")): String }`;

const MEDIA =
  'type Query { other: Int m: Media }\ninterface Media @key(fields: "id") { id: ID! }\ntype Book implements Media @key(fields: "id") { id: ID! }';

/** Of subgraphs, and of what they ask of one another. */
export const subgraphPairs: ChangePairs = {
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
      t: MOVED.replace('bio: String', 'bio: String @override(from: "s", label: "percent(0)")'),
    },
    {
      s: `${USERS}\nextend type User { bio: String }`,
      t: MOVED.replace('bio: String', 'bio: String @override(from: "s", label: "percent(100)")'),
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
