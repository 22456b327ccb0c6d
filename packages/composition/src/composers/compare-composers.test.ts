import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { concatAST, type DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it, vi } from 'vitest';
import { composeSubgraphs } from '../compose-supergraph.ts';
import { readSupergraphConfig } from '../supergraph-config.ts';
import { subgraphsOf } from '../testing/compose-schemas.ts';
import { CompositionThread } from '../threads/composition-thread.ts';
import { ThreadEnded } from '../threads/task-thread.ts';
import {
  composeAhead,
  composeBy,
  ComposerThreads,
  composersChoices,
  composerVersions,
} from '../compose-by-both.ts';
import { composeByGuild } from './compose-by-guild.ts';
import { compareComposers } from './compare-composers.ts';

const PAGE = new URL('../../../../docs/composition.md', import.meta.url);
const LINK = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: [
        "@key"
        "@external"
        "@requires"
        "@provides"
        "@shareable"
        "@override"
        "@tag"
        "@inaccessible"
        "@interfaceObject"
        "@requiresScopes"
      ]
    )
`;

/** Schemas by subgraph, without what they import. */
type Parts = Readonly<Record<string, DocumentNode>>;

const linked = (schemas: Parts): Parts =>
  Object.fromEntries(Object.entries(schemas).map(([name, part]) => [name, concatAST([LINK, part])]));

function differencesOf(schemas: Parts): readonly string[] {
  const subgraphs = subgraphsOf(linked(schemas));
  return compareComposers(composeSubgraphs(subgraphs), composeByGuild(subgraphs)).map(
    ({ message }) => message,
  );
}

/** Each is one feature of composition. */
const agreements: Readonly<Record<string, Parts>> = {
  entities: {
    a: gql`
      type Query {
        t: T
      }
      type T @key(fields: "id") {
        id: ID!
        a: Int
      }
    `,
    b: gql`
      type T @key(fields: "id") {
        id: ID!
        b: Int
      }
    `,
  },
  'compound keys and required fields': {
    a: gql`
      type Query {
        t: T
      }
      type T @key(fields: "id part { id }") {
        id: ID!
        part: P!
        size: Int
      }
      type P {
        id: ID! @shareable
      }
    `,
    b: gql`
      type T @key(fields: "part { id } id") {
        id: ID!
        part: P!
        size: Int @external
        cost: Int @requires(fields: "size")
      }
      type P {
        id: ID! @shareable
      }
    `,
  },
  'provided fields': {
    a: gql`
      type Query {
        t: T @provides(fields: "name")
      }
      type T @key(fields: "id") {
        id: ID!
        name: String @external
      }
    `,
    b: gql`
      type Query {
        u: Int
      }
      type T @key(fields: "id") {
        id: ID!
        name: String @shareable
      }
    `,
  },
  overrides: {
    a: gql`
      type Query {
        t: T
      }
      type T @key(fields: "id") {
        id: ID!
        x: Int
      }
    `,
    b: gql`
      type T @key(fields: "id") {
        id: ID!
        x: Int @override(from: "a")
      }
    `,
  },
  'interface objects': {
    a: gql`
      type Query {
        n: N
      }
      interface N @key(fields: "id") {
        id: ID!
      }
      type T implements N @key(fields: "id") {
        id: ID!
      }
    `,
    b: gql`
      type N @key(fields: "id") @interfaceObject {
        id: ID!
        size: Int
      }
    `,
  },
  'tags, hidden fields, scopes, defaults, enums and unions': {
    a: gql`
      type Query @shareable {
        t(first: Int = 10, kind: K = A): U @tag(name: "public")
        hidden: Int @inaccessible
        guarded: Int @requiresScopes(scopes: [["a", "b"], ["c"]])
      }
      enum K {
        A
        B
      }
      union U = X | Y
      type X @shareable {
        id: ID
      }
      type Y {
        id: ID
      }
    `,
    b: gql`
      type Query @shareable {
        t(kind: K = A, first: Int = 10): U
      }
      enum K {
        B
        A
      }
      union U = X
      type X @shareable {
        id: ID
      }
    `,
  },
  'required fields in fragments on members of a union, and on types of an interface': {
    a: gql`
      type Query {
        t: T
      }
      type T @key(fields: "id") {
        id: ID!
        u: U
        i: I
      }
      union U = X | Y
      interface I {
        x: Int
      }
      type X implements I @shareable {
        x: Int
      }
      type Y implements I @shareable {
        x: Int
        y: Int
      }
    `,
    b: gql`
      type T @key(fields: "id") {
        id: ID!
        u: U @external
        i: I @external
        cost: Int @requires(fields: "u { ... on X { x } ... on Y { y } } i { ... on Y { y } }")
      }
      union U = X | Y
      interface I {
        x: Int
      }
      type X implements I @shareable {
        x: Int
      }
      type Y implements I @shareable {
        x: Int
        y: Int
      }
    `,
  },
  'what does not compose': {
    a: gql`
      type Query {
        t: Int
      }
    `,
    b: gql`
      type Query {
        t: String
      }
    `,
  },
};

/** Listed in docs/composition.md, each with the title that it has here. */
const knownDifferences: Readonly<
  Record<string, { readonly schemas: Parts; readonly messages: readonly string[] }>
> = {
  'A field that is a union in one subgraph and one of its members in another': {
    schemas: {
      a: gql`
        type Query {
          m: M @shareable
        }
        type Book {
          id: ID! @shareable
        }
        type Mag {
          id: ID!
        }
        union M = Book | Mag
      `,
      b: gql`
        type Query {
          m: Book @shareable
        }
        type Book {
          id: ID! @shareable
        }
      `,
    },
    messages: [
      'The composers differ: Query.m:\n' +
        '@apollo/composition: M @join__field(graph: A, type: "M") @join__field(graph: B, type: "Book")\n' +
        '@theguild/federation-composition: M',
    ],
  },
  'A field that an interface object has as `@external`': {
    schemas: {
      a: gql`
        type Query {
          n: N
        }
        interface N @key(fields: "id") {
          id: ID!
          name: String
        }
        type T implements N @key(fields: "id") {
          id: ID!
          name: String
        }
      `,
      b: gql`
        type N @key(fields: "id") @interfaceObject {
          id: ID!
          name: String @external
          size: Int @requires(fields: "name")
        }
      `,
    },
    messages: [
      'The composers differ: N.name:\n' +
        '@apollo/composition: String @join__field(external: true, graph: B) @join__field(graph: A)\n' +
        '@theguild/federation-composition: String',
    ],
  },
  'An `@override` from a subgraph that does not exist': {
    schemas: {
      a: gql`
        type Query {
          t: T
        }
        type T @key(fields: "id") {
          id: ID!
          x: Int @shareable
        }
      `,
      b: gql`
        type T @key(fields: "id") {
          id: ID!
          x: Int @shareable @override(from: "gone")
        }
      `,
    },
    messages: [
      'The composers differ: T.x:\n' +
        '@apollo/composition: Int\n' +
        '@theguild/federation-composition: Int @join__field(graph: A) @join__field(graph: B, override: "gone")',
    ],
  },
  'A `@requires` with a fragment on another interface than that of the field': {
    schemas: {
      a: gql`
        type Query {
          t: T
        }
        type T @key(fields: "id") {
          id: ID!
          f: F
        }
        interface F {
          x: Int
        }
        interface G implements F {
          x: Int
          y: Int
        }
        type Z implements F & G @shareable {
          x: Int
          y: Int
        }
      `,
      b: gql`
        type T @key(fields: "id") {
          id: ID!
          f: F @external
          cost: Int @requires(fields: "f { ... on G { y } }")
        }
        interface F {
          x: Int
        }
        interface G implements F {
          x: Int
          y: Int
        }
        type Z implements F & G @shareable {
          x: Int
          y: Int
        }
      `,
    },
    messages: [
      'The composers differ: only @apollo/composition composes; @theguild/federation-composition says SATISFIABILITY_ERROR: ' +
        'The following supergraph API query:\n{\n  t {\n    cost\n  }\n}\ncannot be satisfied by the subgraphs because:\n' +
        '- from subgraph "a": cannot find field "T.cost".\n' +
        '- from subgraph "b": cannot satisfy @require conditions on field "T.cost".',
    ],
  },
};

describe('Two composers', () => {
  it.each(Object.entries(agreements))('agree on %s', (_name, schemas) => {
    expect(differencesOf(schemas)).toEqual([]);
  });

  it('agree on the content graph', async () => {
    const config = await readSupergraphConfig(
      new URL('../../../../supergraph.yaml', import.meta.url).pathname,
    );
    const subgraphs = config.subgraphs.map(({ name, routingUrl, schema }) => ({
      name,
      routingUrl,
      sdl: schema.kind === 'file' ? readFileSync(schema.file, 'utf8') : '',
      source: name,
    }));
    expect(compareComposers(composeSubgraphs(subgraphs), composeByGuild(subgraphs))).toEqual([]);
  });

  it.each(Object.entries(knownDifferences))(
    'differ on %s, which is documented',
    (name, { schemas, messages }) => {
      expect(differencesOf(schemas)).toEqual(messages);
      expect(readFileSync(PAGE, 'utf8')).toContain(name);
    },
  );
});

describe('Composing by two composers', () => {
  const [known] = Object.values(knownDifferences);
  const differing = subgraphsOf(linked(known?.schemas ?? {}));

  it('warns of a difference with both results, and takes that of Apollo’s', async () => {
    const { composition, warnings } = await composeBy('both', differing);
    expect(composition).toEqual(composeSubgraphs(differing));
    expect(warnings).toEqual([expect.objectContaining({ code: 'COMPOSERS_DIFFER' })]);
  });

  it('fails on a difference where it is strict', async () => {
    const { composition } = await composeBy('strict', differing);
    expect(composition).toMatchObject({ kind: 'failed', errors: [{ code: 'COMPOSERS_DIFFER' }] });
  });

  it('takes the result of one alone', async () => {
    expect(await composeBy('guild', differing)).toEqual({
      composition: composeByGuild(differing),
      warnings: [],
    });
    expect(await composeBy('apollo', differing)).toEqual({
      composition: composeSubgraphs(differing),
      warnings: [],
    });
  });

  it('gives the same where each composer has a thread of its own', async () => {
    const threads = new ComposerThreads();
    for (const composers of composersChoices)
      expect(await threads.compose(composers, differing)).toEqual(await composeBy(composers, differing));
    await threads.close();
    await expect(threads.compose('both', differing)).rejects.toThrow('was closed');
  });

  it('warns where the second one, or the comparison, fails, and takes the first result', async () => {
    for (const method of ['compose', 'compare'] as const) {
      const failing = vi
        .spyOn(CompositionThread.prototype, method)
        .mockRejectedValueOnce(new Error('no memory'));
      const { composition, warnings } = await composeBy('both', differing);
      failing.mockRestore();
      expect(composition.kind).toBe('composed');
      expect(warnings).toEqual([
        expect.objectContaining({ message: expect.stringContaining('no memory') as string }),
      ]);
    }
  });

  it('decides nothing where a second composer that has to agree was ended', async () => {
    const ended = new ThreadEnded('The composition thread was aborted.');
    for (const [composers, method] of [
      ['guild', 'compose'],
      ['strict', 'compose'],
      ['strict', 'compare'],
    ] as const) {
      const failing = vi.spyOn(CompositionThread.prototype, method).mockRejectedValueOnce(ended);
      await expect(composeBy(composers, differing)).rejects.toBe(ended);
      failing.mockRestore();
    }
    const failing = vi.spyOn(CompositionThread.prototype, 'compose').mockRejectedValueOnce(ended);
    expect(await composeBy('both', differing)).toMatchObject({ isFirstAlone: true });
    failing.mockRestore();
  });

  it('names the versions that compose', () => {
    const versionOf = (name: string): unknown =>
      (createRequire(import.meta.url)(`${name}/package.json`) as { version: string }).version;
    const packages = ['@apollo/composition', '@theguild/federation-composition'] as const;
    const [apollo, guild] = packages.map((name) => ({ [name]: versionOf(name) }));
    expect(composersChoices.map(composerVersions)).toEqual([
      apollo,
      guild,
      { ...apollo, ...guild },
      { ...apollo, ...guild },
    ]);
  });

  it('reports that one alone composes, with the reason of the other', () => {
    const composed = composeSubgraphs(differing);
    const failed = { kind: 'failed', errors: [{ code: 'X', message: 'why', locations: [] }] } as const;
    expect(compareComposers(composed, failed)[0]?.message).toMatch(
      /only @apollo\/composition composes; .*X: why/,
    );
    expect(compareComposers(failed, composed)[0]?.message).toMatch(/only @theguild\/\S+ composes; .*X: why/);
    expect(compareComposers(failed, failed)).toEqual([]);
  });
});

/** A graph has to be large, before it is proved apart from composing: a comment makes it so. */
function largeSubgraphs(schemas: Parts): ReturnType<typeof subgraphsOf> {
  return subgraphsOf(linked(schemas)).map((subgraph) => ({
    ...subgraph,
    sdl: `${subgraph.sdl}\n# ${'x'.repeat(200_000)}`,
  }));
}

/** What only whole queries show: an error, another one, and a hint. */
const unproved: Readonly<Record<string, Parts>> = {
  'a field that no query can reach': {
    a: gql`
      type Query {
        t: T
      }
      type T @key(fields: "id", resolvable: false) {
        id: ID!
      }
    `,
    b: gql`
      type T {
        id: ID! @shareable
        x: Int
      }
      type Query {
        other: T @shareable
      }
    `,
  },
  'a shared field whose types have nothing in common': {
    a: gql`
      type Query {
        i: I @shareable
      }
      interface I {
        x: Int
      }
      type A implements I {
        x: Int
      }
    `,
    b: gql`
      type Query {
        i: I @shareable
      }
      interface I {
        x: Int
      }
      type B implements I {
        x: Int
      }
    `,
  },
  'queries without a plan below two types of an interface': {
    a: gql`
      type Query {
        i: I
      }
      interface I {
        u: Int
      }
      type B implements I {
        u: Int
        b: Y
      }
      type A implements I {
        u: Int
        a: X
      }
      type X @key(fields: "id", resolvable: false) {
        id: ID!
      }
      type Y @key(fields: "id", resolvable: false) {
        id: ID!
      }
    `,
    b: gql`
      type Y {
        id: ID! @shareable
        y: Int
      }
      type X {
        id: ID! @shareable
        x: Int
      }
      type Query {
        x: X
        y: Y
      }
    `,
  },
  'a shared field whose types differ': {
    a: gql`
      type Query {
        i: I @shareable
      }
      interface I {
        x: Int
      }
      type A implements I @shareable {
        x: Int
      }
    `,
    b: gql`
      type Query {
        i: I @shareable
      }
      interface I {
        x: Int
      }
      type A implements I @shareable {
        x: Int
      }
      type B implements I {
        x: Int
      }
    `,
  },
};

describe('A large graph, composed ahead of its proof', () => {
  const differing = Object.fromEntries(
    Object.entries(knownDifferences).map(([name, { schemas }]) => [name, schemas]),
  );

  it.each(Object.entries({ ...agreements, ...differing, ...unproved }))(
    'comes to the same in the end with %s',
    async (_name, schemas) => {
      const subgraphs = largeSubgraphs(schemas);
      for (const composers of composersChoices) {
        const expected = await composeBy(composers, subgraphs);
        const { merged, settled } = await composeAhead(composers, subgraphs);
        expect(await settled).toEqual(expected);
        if (expected.composition.kind === 'composed')
          expect(merged).toMatchObject({ supergraphSdl: expected.composition.supergraphSdl });
      }
    },
  );

  it('can be used before it turns out to have queries without a plan', async () => {
    const { merged, settled } = await composeAhead(
      'both',
      largeSubgraphs(unproved['a field that no query can reach'] ?? {}),
    );
    expect(merged.kind).toBe('composed');
    expect((await settled).composition).toMatchObject({
      kind: 'failed',
      errors: [{ code: 'SATISFIABILITY_ERROR' }],
    });
  });

  it('is proved in this thread where the other one ends', async () => {
    const subgraphs = largeSubgraphs(unproved['a shared field whose types differ'] ?? {});
    const failing = vi
      .spyOn(CompositionThread.prototype, 'prove')
      .mockRejectedValueOnce(new ThreadEnded('It has ended.'));
    const { settled } = await composeAhead('both', subgraphs);
    const hints = [expect.objectContaining({ code: 'INCONSISTENT_RUNTIME_TYPES_FOR_SHAREABLE_RETURN' })];
    expect((await settled).composition).toMatchObject({ kind: 'composed', hints });
    expect(failing).toHaveBeenCalledOnce();
    failing.mockRestore();
  });
});
