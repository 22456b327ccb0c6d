import {
  changeKinds,
  extractSubgraphs,
  orderExampleLink as LINK,
  orderExamples as changes,
  proveWindow,
  Usage,
  unprovedParts,
  windowChanges,
  type ChangeCode,
  type RecordedOperation,
  type WindowBounds,
  type WindowProof,
} from '@trellis/composition';
import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../testing/change-pairs/change-pair.ts';
import { serveSchemas } from '../../testing/served-pair.ts';
import { windowSide } from './window-side.ts';

interface Options {
  /** Documents that clients have sent. Absent: nothing was recorded. */
  readonly recorded?: readonly string[];
  readonly extracted?: boolean;
  /** Whether schemas are whole as they are. @default false */
  readonly isRaw?: boolean;
  readonly bounds?: WindowBounds;
}

async function prove(
  before: Schemas,
  after: Schemas,
  options: Options = {},
): Promise<WindowProof | undefined> {
  const sides = [before, after].map((schemas) => {
    const linked = Object.fromEntries(
      Object.entries(schemas).map(([name, sdl]) => [name, options.isRaw ? sdl : LINK + sdl]),
    );
    const graph = serveSchemas(linked);
    const own = new Map(Object.entries(linked));
    return {
      graph,
      side: windowSide(graph, options.extracted ? extractSubgraphs(graph.comparable.supergraph.sdl) : own),
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
  return proveWindow(former.side, latter.side, usage, options.bounds);
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
const query = (fields: string): Schemas => ({ s: `type Query { other: Int ${fields} }` });
const PUBLISH_S = 'ordered · publish · deploy s';

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

  it('is proved of each operation that loses its plan, and names how many longer plans and probes it left out', async () => {
    const fields = 'a: Int b: Int c: Int';
    const before = named(
      '',
      `type P implements N @key(fields: "id") { id: ID! } extend type Query { ${fields} }`,
    );
    const after = named(
      ', resolvable: false',
      'type R @key(fields: "id") { id: ID! a: Int b: Int c: Int } extend type Query { r: R }',
    );
    const recorded = ['query Kind { n { __typename } }', 'query Again { again: n { __typename } }'];
    const proof = await prove(before, after, { recorded, bounds: { maxProbes: 1, maxComparedPlans: 0 } });
    const lost = proof && windowChanges(proof).filter(({ code }) => code === 'NOT_PLANNABLE');
    expect(lost?.map(({ coordinate }) => coordinate)).toEqual(['Kind', 'Again']);
    expect(proof && unprovedParts(proof)).toEqual([
      expect.objectContaining({
        code: 'NOT_ALL_PROVED',
        message: expect.stringMatching(/^Of \d+ probes .* 1 were planned/) as string,
      }),
    ]);
    const moved = { s: USERS + bio(), t: ofT('bio: String @override(from: "s")') };
    const longer = await prove({ s: USERS + bio(), t: ofT('') }, moved, {
      recorded: ['query Bio { user { bio } }', 'query Other { user { other: bio } }'],
      bounds: { maxComparedPlans: 1 },
    });
    expect(longer && unprovedParts(longer).map(({ message }) => message)).toEqual([
      'Less busy operations whose plans differ too, and were not compared: 1. Each has a plan.',
    ]);
  });
});

it.each([
  [
    'a subscription that moves',
    'type Subscription { e: Int f: Int }',
    '',
    'type Subscription { f: Int }',
    'type Subscription { e: Int }',
  ],
  [
    'a mutation that moves',
    'type Mutation { e: Int f: Int }',
    '',
    'type Mutation { f: Int }',
    'type Mutation { e: Int }',
  ],
])(
  '%s is deployed where it comes to, published, and deployed where it was',
  async (_title, s1, t1, s2, t2) => {
    const schemas = (s: string, t: string): Schemas => ({
      s: `type Query { other: Int }\n${s}`,
      t: `type Query { t: Int }\n${t}`,
    });
    expect(await orderOf(schemas(s1, t1), schemas(s2, t2))).toBe('ordered · deploy t · publish · deploy s');
  },
);

it('Federation 1 schemas, and directives under other names, are read as they are', async () => {
  const link = LINK.replace('"@key"', '{ name: "@key", as: "@identity" }');
  const raw = (fields: string): Schemas => ({
    s: 'type Query { user: User }\ntype User @key(fields: "id") { id: ID! name: String }',
    t: `extend type User @key(fields: "id") { id: ID! @external ${fields} }`,
    u: `${link}type User @identity(fields: "id") { id: ID! note: String }`,
  });
  expect(await orderOf(raw('bio: String'), raw('bio: String more: Int'), { isRaw: true })).toBe(
    'ordered · deploy t · publish',
  );
  expect(await orderOf(raw('bio: String more: Int'), raw('bio: String'), { isRaw: true })).toBe(
    'ordered · publish · deploy t',
  );
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

/** What a proof found, with the verdict of each. */
async function changesOf(before: Schemas, after: Schemas, recorded?: readonly string[]) {
  const proof = await prove(before, after, recorded && { recorded });
  return (proof ? windowChanges(proof) : []).map(({ code, coordinate }) => [
    code,
    coordinate,
    changeKinds[code satisfies ChangeCode].verdict,
  ]);
}

/** An interface that another subgraph knows as an object: which type one is, only the first can say. */
const named = (fields: string, rest: string): Schemas => ({
  s: `type Query { other: Int }\ninterface N @key(fields: "id"${fields}) { id: ID! }\n${rest}`,
  t: 'type Query { n: N }\ntype N @key(fields: "id") @interfaceObject { id: ID! note: String }',
});

describe('Changes that planning finds, and comparing does not', () => {
  it('DEPLOY_FIRST: a field that comes is safe where its subgraph is deployed first', async () => {
    expect(await changesOf(query(''), query('a: Int'))).toEqual([['DEPLOY_FIRST', 's', 'safe']]);
  });

  it('PUBLISH_FIRST: a field that goes is dangerous until the supergraph is published', async () => {
    expect(await changesOf(query('a: Int'), query(''))).toEqual([['PUBLISH_FIRST', 's', 'dangerous']]);
  });

  it('NOT_IN_ONE_STEP: a field of another type breaks in either order', async () => {
    expect(await changesOf(query('a: Int'), query('a: String'))).toEqual([
      ['NOT_IN_ONE_STEP', 's', 'breaking'],
    ]);
  });

  it('PLAN_LONGER: an operation that needs a second subgraph one after the other is dangerous', async () => {
    const before = { s: USERS + bio(), t: ofT('') };
    const after = { s: USERS + bio(), t: ofT('bio: String @override(from: "s")') };
    expect(await changesOf(before, after, ['query Bio { user { bio } }'])).toContainEqual([
      'PLAN_LONGER',
      'Bio',
      'dangerous',
    ]);
  });

  it('NOT_PLANNABLE: an operation for which the planner finds no plan any more is named, and breaking', async () => {
    const before = named('', 'type P implements N @key(fields: "id") { id: ID! }');
    const after = named(', resolvable: false', '');
    const found = ['NOT_PLANNABLE', 'Kind', 'breaking'];
    expect(await changesOf(before, after, ['query Kind { n { __typename } }'])).toContainEqual(found);
    // One that has a plan is not named, nor one that had none.
    expect(await changesOf(before, after, ['query Kind { n { note } }'])).not.toContainEqual(found);
    const noted = named(', resolvable: false', 'type Q { note: Int }');
    expect(await changesOf(after, noted, ['query Kind { n { __typename } }'])).not.toContainEqual(found);
  });
});
