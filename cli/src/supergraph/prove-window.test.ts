import {
  extractSubgraphs,
  proveWindow,
  Usage,
  windowChanges,
  type RecordedOperation,
  type WindowProof,
} from '@trellis/composition';
import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../testing/change-pairs.ts';
import { serveSchemas } from '../../testing/served-pair.ts';
import { windowSide } from './window-side.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@override", "@interfaceObject", "@context", "@fromContext"])\n';

interface Options {
  /** Documents that clients have sent. Absent: nothing was recorded. */
  readonly recorded?: readonly string[];
  readonly extracted?: boolean;
}

async function prove(
  before: Schemas,
  after: Schemas,
  options: Options = {},
): Promise<WindowProof | undefined> {
  const sides = [before, after].map((schemas) => {
    const linked = Object.fromEntries(Object.entries(schemas).map(([name, sdl]) => [name, LINK + sdl]));
    const graph = serveSchemas(linked);
    const own = new Map(Object.entries(linked));
    return {
      graph,
      side: windowSide(graph, options.extracted ? extractSubgraphs(graph.comparable.supergraphSdl) : own),
    };
  });
  const [former, latter] = sides;
  if (!former || !latter) throw new Error('There are two sides.');
  const operations = options.recorded?.map((document, index): RecordedOperation => ({
    id: `${index}`,
    document,
    clients: [],
  }));
  const usage =
    operations &&
    new Usage(
      { operations, isComplete: true },
      former.graph.comparable.apiSchema,
      latter.graph.comparable.apiSchema,
    );
  return proveWindow(former.side, latter.side, usage);
}

async function orderOf(before: Schemas, after: Schemas, options?: Options): Promise<string> {
  const proof = await prove(before, after, options);
  if (!proof) return 'nothing';
  const steps = proof.verdict === 'not-in-one-step' ? [] : proof.steps;
  return [proof.verdict, ...steps].join(' · ');
}

const USERS = 'type Query { other: Int user: User }\ntype User @key(fields: "id") { id: ID! name: String }\n';
const T = 'type Query { t: Int }\n';
const bio = (rest = ''): string => `extend type User { bio: String ${rest} }`;
const ofT = (fields: string): string => `${T}type User @key(fields: "id") { id: ID! ${fields} }`;
const DEPLOY_S = 'ordered · deploy s · publish';
const PUBLISH_S = 'ordered · publish · deploy s';

const query = (fields: string, types = ''): Schemas => ({
  s: `type Query { other: Int ${fields} }\n${types}`,
});

const N = 'interface N { id: ID! }\ntype A implements N { id: ID! }\n';

/** Before, after, and the order that is right. */
const changes: readonly (readonly [title: string, before: Schemas, after: Schemas, order: string])[] = [
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
];

describe('The window between deploying and publishing', () => {
  it.each(changes)('%s', async (_title, before, after, order) => {
    expect(await orderOf(before, after)).toBe(order);
  });

  it('is passed the other way round when a change is taken back', async () => {
    for (const [title, before, after, order] of changes.filter((_change, index) => index % 4 === 1)) {
      const steps = order.split(' · ');
      const back = order.startsWith('ordered') ? ['ordered', ...steps.slice(1).toReversed()] : steps;
      const found = await orderOf(after, before);
      expect([title, found.replace('end ', 'deploy ')]).toEqual([
        title,
        back.join(' · ').replace('end ', 'deploy '),
      ]);
    }
  });
});

describe('With recorded operations', () => {
  it('what no one uses may be removed in any order', async () => {
    const [before, after] = [{ s: `${USERS}extend type User { a: Int }` }, { s: USERS }];
    expect(await orderOf(before, after, { recorded: ['{ user { name } }'] })).toBe('any-order');
    expect(await orderOf(before, after, { recorded: ['{ user { a } }'] })).toBe(PUBLISH_S);
  });

  it('operations of types that did not change are not planned', async () => {
    const before = { s: `${USERS}extend type Query { b: B }\ntype B { c: Int }` };
    const proof = await prove(
      before,
      { s: `${before.s}extend type User { a: Int }` },
      { recorded: ['{ b { c } }', '{ user { name } }'] },
    );
    expect(proof).toMatchObject({ operations: 1, verdict: 'ordered' });
  });

  it('both sides of a progressive override are planned', async () => {
    const before = { s: USERS + bio(), t: ofT('') };
    const after = { s: USERS + bio(), t: ofT('bio: String @override(from: "s", label: "percent(5)")') };
    const proof = await prove(before, after, { recorded: ['{ user { bio } }'] });
    expect(proof?.steps).toEqual(['deploy t', 'publish']);
  });

  it('plans that take longer are named', async () => {
    const before = { s: USERS + bio(), t: ofT('') };
    const after = { s: USERS + bio(), t: ofT('bio: String @override(from: "s")') };
    const proof = await prove(before, after, { recorded: ['query Bio { user { bio } }'] });
    expect(proof && windowChanges(proof)).toContainEqual(
      expect.objectContaining({ code: 'PLAN_LONGER', coordinate: 'Bio' }),
    );
  });
});

it('without own schemas, those of the supergraph take their place', async () => {
  const before = { s: `${USERS}extend type User { a: Int }`, t: ofT('bio: String') };
  expect(await orderOf(before, { ...before, s: USERS }, { extracted: true })).toBe(PUBLISH_S);
});

it('says why, and what to deploy in between, where no order is right', async () => {
  const proof = await prove(query('a: Int!'), query('a: Int b: Int'));
  expect(proof?.steps).toEqual([
    'deploy s with what is new (Cannot query field "b" on type "Query") and still with what was before (Query.a may be null)',
    'publish',
    'deploy s as it is in this change',
  ]);
  expect(proof && windowChanges(proof).map(({ code, coordinate }) => [code, coordinate])).toEqual([
    ['NOT_IN_ONE_STEP', 's'],
  ]);
});
