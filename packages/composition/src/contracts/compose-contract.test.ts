import {
  concatAST,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  print,
  type DocumentNode,
} from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { apiSchemaOf } from '../api-schema.ts';
import { composeSubgraphs } from '../compose-supergraph.ts';
import { composeContract, composeContracts } from './compose-contract.ts';

const LINK = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: ["@key", "@tag", "@inaccessible", "@external", "@requires"]
    )
`;

interface Case {
  readonly typeDefs: DocumentNode;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Types with what is shown of them. */
  readonly shown: Readonly<Record<string, string>>;
}

/** By Apollo's rules of contracts. */
const cases: Readonly<Record<string, Case>> = {
  'everything is shown without tags': {
    typeDefs: gql`
      type Query {
        a: Int
      }
    `,
    shown: { Query: 'a' },
  },
  'an excluded field is hidden': {
    typeDefs: gql`
      type Query {
        a: Int
        b: Int @tag(name: "x")
      }
    `,
    exclude: ['x'],
    shown: { Query: 'a' },
  },
  'an excluded type is hidden, with the fields that lead to it': {
    typeDefs: gql`
      type Query {
        a: Int
        t: T
        u: U
      }
      type T @tag(name: "x") {
        id: ID
      }
      type U {
        t: T
        ok: Int
      }
    `,
    exclude: ['x'],
    shown: { Query: 'a u', U: 'ok' },
  },
  'a type whose fields are all hidden is hidden': {
    typeDefs: gql`
      type Query {
        a: Int
        t: T
      }
      type T {
        id: ID @tag(name: "x")
      }
    `,
    exclude: ['x'],
    shown: { Query: 'a' },
  },
  'an excluded argument, enum value and input field are hidden': {
    typeDefs: gql`
      type Query {
        a(x: Int @tag(name: "x"), e: E, i: I): Int
      }
      enum E {
        A
        B @tag(name: "x")
      }
      input I {
        a: Int
        b: Int = 1 @tag(name: "x")
      }
    `,
    exclude: ['x'],
    shown: { Query: 'a(e i)', E: 'A', I: 'a' },
  },
  'a field with a required argument that is hidden is hidden': {
    typeDefs: gql`
      type Query {
        a(i: I!): Int
        b: Int
      }
      input I @tag(name: "x") {
        a: Int
      }
    `,
    exclude: ['x'],
    shown: { Query: 'b' },
  },
  'an excluded member leaves a union': {
    typeDefs: gql`
      type Query {
        u: U
      }
      union U = A | B
      type A {
        a: Int
      }
      type B @tag(name: "x") {
        b: Int
      }
    `,
    exclude: ['x'],
    shown: { Query: 'u', U: 'A', A: 'a' },
  },
  'only what is included is shown': {
    typeDefs: gql`
      type Query {
        a: Int @tag(name: "p")
        b: Int
      }
    `,
    include: ['p'],
    shown: { Query: 'a' },
  },
  'an included type is shown with all its fields': {
    typeDefs: gql`
      type Query {
        t: T @tag(name: "p")
        b: Int
      }
      type T @tag(name: "p") {
        id: ID
        name: String
      }
    `,
    include: ['p'],
    shown: { Query: 't', T: 'id name' },
  },
  'an excluded tag wins over an included one': {
    typeDefs: gql`
      type Query {
        t: T @tag(name: "p")
        b: Int
      }
      type T @tag(name: "p") {
        id: ID
        name: String @tag(name: "x")
      }
    `,
    include: ['p'],
    exclude: ['x'],
    shown: { Query: 't', T: 'id' },
  },
  'a field whose type has nothing that is included is hidden': {
    typeDefs: gql`
      type Query {
        t: T @tag(name: "p")
        a: Int @tag(name: "p")
      }
      type T {
        id: ID
      }
    `,
    include: ['p'],
    shown: { Query: 'a' },
  },
  'inputs, enums and scalars of what is included come with it': {
    typeDefs: gql`
      type Query {
        a(i: I, e: E): S @tag(name: "p")
      }
      input I {
        a: Int
      }
      enum E {
        A
      }
      scalar S
    `,
    include: ['p'],
    shown: { Query: 'a(e i)', I: 'a', E: 'A' },
  },
  'a type that no operation reaches is hidden': {
    typeDefs: gql`
      type Query {
        a: Int
        t: T @tag(name: "x")
      }
      type T {
        u: U
      }
      type U {
        id: ID
      }
      enum E {
        A
      }
    `,
    exclude: ['x'],
    shown: { Query: 'a' },
  },
  'implementations of an interface that is reached are shown': {
    typeDefs: gql`
      type Query {
        n: N
      }
      interface N {
        id: ID
      }
      type A implements N {
        id: ID
        a: Int
      }
      type B implements N @tag(name: "x") {
        id: ID
      }
    `,
    exclude: ['x'],
    shown: { Query: 'n', N: 'id', A: 'id a' },
  },
  'what is inaccessible stays so': {
    typeDefs: gql`
      type Query {
        a: Int @tag(name: "p")
        b: Int @inaccessible @tag(name: "p")
      }
    `,
    include: ['p'],
    shown: { Query: 'a' },
  },
  'names of the language are names too': {
    typeDefs: gql`
      type Query {
        constructor: Int
        valueOf: Int @tag(name: "toString")
      }
    `,
    exclude: ['toString'],
    shown: { Query: 'constructor' },
  },
};

function supergraphOf(...schemas: readonly DocumentNode[]): string {
  const composition = composeSubgraphs(
    schemas.map((schema, index) => ({
      name: `s${index}`,
      routingUrl: 'http://x',
      sdl: print(concatAST([LINK, schema])),
      source: 's',
    })),
  );
  if (composition.kind === 'failed') throw new Error(JSON.stringify(composition.errors));
  return composition.supergraphSdl;
}

function contractOf(supergraphSdl: string, { include = [], exclude = [] }: Omit<Case, 'typeDefs' | 'shown'>) {
  return composeContract(supergraphSdl, { name: 'partners', include, exclude });
}

/** What clients see of each type, without scalars. */
function shownIn(supergraphSdl: string): Readonly<Record<string, string>> {
  const types = Object.values(apiSchemaOf(supergraphSdl).getTypeMap()).filter(
    ({ name }) => !name.startsWith('__'),
  );
  const entries = types.map((type) => {
    if (isUnionType(type)) return [type.name, type.getTypes().map(String)] as const;
    if (isEnumType(type)) return [type.name, type.getValues().map(({ name }) => name)] as const;
    if (isInputObjectType(type)) return [type.name, Object.keys(type.getFields())] as const;
    if (!isObjectType(type) && !isInterfaceType(type)) return [type.name, []] as const;
    const fields = Object.values(type.getFields()).map(({ name, args }) => {
      const given = args.map((argument) => argument.name).toSorted();
      return given.length > 0 ? `${name}(${given.join(' ')})` : name;
    });
    return [type.name, fields] as const;
  });
  return Object.fromEntries(
    entries.filter(([, members]) => members.length > 0).map(([name, members]) => [name, members.join(' ')]),
  );
}

describe('A contract', () => {
  it.each(Object.entries(cases))('%s', (_title, { typeDefs, shown, ...rules }) => {
    const composition = contractOf(supergraphOf(typeDefs), rules);
    if (composition.kind === 'failed') throw new Error(JSON.stringify(composition.errors));
    expect(shownIn(composition.supergraphSdl)).toEqual(shown);
  });

  it('has keys that its clients do not see', () => {
    const whole = supergraphOf(
      gql`
        type Query {
          t: T
        }
        type T @key(fields: "id") {
          id: ID! @tag(name: "internal")
          a: Int
        }
      `,
      gql`
        type T @key(fields: "id") {
          id: ID! @tag(name: "internal")
          b: Int
        }
      `,
    );
    const composition = contractOf(whole, { exclude: ['internal'] });
    expect(composition).toMatchObject({
      kind: 'composed',
      supergraphSdl: expect.stringContaining('key: "id"'),
    });
    if (composition.kind === 'composed')
      expect(shownIn(composition.supergraphSdl)).toEqual({ Query: 't', T: 'a b' });
  });

  it('does not compose where no query is left, or an interface has a field that an object hides', () => {
    expect(
      contractOf(
        supergraphOf(gql`
          type Query {
            a: Int
          }
        `),
        { include: ['p'] },
      ),
    ).toMatchObject({
      kind: 'failed',
      errors: [{ code: 'INVALID_CONTRACT', message: expect.stringContaining('no query is left') }],
    });
    const whole = supergraphOf(gql`
      type Query {
        n: N
      }
      interface N {
        id: ID
        name: Int
      }
      type A implements N {
        id: ID
        name: Int @tag(name: "x")
      }
    `);
    expect(contractOf(whole, { exclude: ['x'] })).toMatchObject({
      kind: 'failed',
      errors: [{ message: expect.stringMatching(/partners does not compose: [^]*A\.name/) }],
    });
  });

  it('leaves a supergraph without anything to hide as it is', () => {
    const whole = supergraphOf(gql`
      type Query {
        a: Int
      }
    `);
    expect(contractOf(whole, { exclude: ['x'] })).toMatchObject({ kind: 'composed', supergraphSdl: whole });
  });

  it('says which of its tags no element has: an excluded one hides nothing', () => {
    const whole = supergraphOf(gql`
      type Query {
        a: Int
        b: Int @tag(name: "y")
      }
    `);
    const { hints } = contractOf(whole, { include: ['y'], exclude: ['x', 'x', 'y '] }) as {
      readonly hints: unknown;
    };
    expect(hints).toEqual(
      ['x', 'y '].map((tag) => ({
        code: 'UNKNOWN_TAG',
        message: `No element has the tag "${tag}" of the contract partners.`,
        locations: [],
      })),
    );
  });

  it('is composed beside others as it is alone, with what its clients see', () => {
    const whole = supergraphOf(gql`
      type Query {
        a: Int
        b: Int @tag(name: "x")
      }
    `);
    const rules = [
      { name: 'partners', include: [], exclude: ['x'] },
      { name: 'mobile', include: ['x'], exclude: [] },
      { name: 'empty', include: ['z'], exclude: [] },
    ];
    const composed = composeContracts(whole, rules);
    expect(composed).toEqual(rules.map((one) => composeContract(whole, one)));
    expect(composed).toMatchObject([
      {
        apiSchema: `${print(gql`
          type Query {
            a: Int
          }
        `)}\n`,
      },
      {
        apiSchema: `${print(gql`
          type Query {
            b: Int
          }
        `)}\n`,
      },
      { kind: 'failed' },
    ]);
  });
});
