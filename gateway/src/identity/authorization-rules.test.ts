import { describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import type { DocumentNode } from 'graphql';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import { compose } from '../testing/compose.ts';
import { readAuthorizationRules } from '../operation/access/authorization-rules.ts';
import type { Requirement } from '../operation/access/requirement.ts';

function requirementsOf(...subgraphs: readonly DocumentNode[]): ReadonlyMap<string, Requirement> {
  const named = subgraphs.map((typeDefs, index) => ({ name: `s${index}`, typeDefs }));
  return readAuthorizationRules(buildSupergraph(compose(named)).supergraphSchema).fields;
}

const LINK = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: [
        "@key"
        "@shareable"
        "@authenticated"
        "@requiresScopes"
        "@policy"
        "@context"
        "@fromContext"
      ]
    )
`;

const LOGIN: Requirement = { authenticated: true, scopes: [], policies: [] };

describe('Requirements of a supergraph', () => {
  it('are none where nothing is guarded', () => {
    expect(
      requirementsOf(gql`
        ${LINK}
        type Query {
          a: Int
        }
      `).size,
    ).toBe(0);
  });

  it('join those of the type, of the field, and of what it returns', () => {
    const fields = requirementsOf(gql`
      ${LINK}
      type Query {
        a: A
        open: Int
      }
      type A @authenticated {
        b: B @requiresScopes(scopes: [["x"]])
        c: Int
      }
      enum B @policy(policies: [["p"]]) {
        ONE
      }
    `);
    expect(fields.get('Query.a')).toEqual(LOGIN);
    expect(fields.get('A.c')).toEqual(LOGIN);
    expect(fields.get('A.b')).toEqual({ authenticated: true, scopes: [[['x']]], policies: [[['p']]] });
    expect(fields.has('Query.open')).toBe(false);
  });

  it.each([
    [
      'in the import',
      `import: ["@key", { name: "@authenticated", as: "@login" }, { name: "@requiresScopes", as: "@needs" }, { name: "@policy", as: "@rule" }]`,
      ['login', 'needs', 'rule'],
    ],
    [
      'by the namespace',
      'import: ["@key"], as: "fed"',
      ['fed__authenticated', 'fed__requiresScopes', 'fed__policy'],
    ],
  ])('S-092 have the same meaning under another name, given %s', (_where, link, [login, needs, rule]) => {
    const fields = requirementsOf(gql`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", ${link})
      type Query { a: Int @${login}, b: Int @${needs}(scopes: [["x"]]), c: Int @${rule}(policies: [["p"]]), open: Int }`);
    expect(fields.get('Query.a')).toEqual(LOGIN);
    expect(fields.get('Query.b')?.scopes).toEqual([[['x']]]);
    expect(fields.get('Query.c')?.policies).toEqual([[['p']]]);
    expect(fields.has('Query.open')).toBe(false);
  });

  it('join those that several subgraphs state for one field', () => {
    const shared = (scope: string): DocumentNode =>
      gql`${LINK} type Query { a: Int @shareable @requiresScopes(scopes: [["${scope}"]]) }`;
    const requirement = requirementsOf(shared('x'), shared('y')).get('Query.a');
    const sets = requirement?.scopes.flat().map((names) => [...names].toSorted().join(' '));
    expect(sets).toEqual(['x y']);
  });

  it('S-092 of an interface field are those of every implementation', () => {
    const fields = requirementsOf(gql`
      ${LINK}
      type Query {
        n: N
      }
      interface N {
        v: Int
      }
      type A implements N {
        v: Int @authenticated
      }
      type B implements N {
        v: Int @requiresScopes(scopes: [["x"]])
      }
    `);
    expect(fields.get('N.v')).toMatchObject({ authenticated: true });
    expect(fields.get('N.v')?.scopes.flat(2)).toContain('x');
    expect(fields.get('A.v')?.scopes).toEqual([]);
  });

  it('S-092 include those of what a field is fed with from its context', () => {
    const fields = requirementsOf(
      gql`
        ${LINK}
        type Query {
          t: T
        }
        type T @key(fields: "id") @context(name: "ctx") {
          id: ID!
          secret: String! @requiresScopes(scopes: [["x"]])
          u: U
        }
        type U @key(fields: "id") {
          id: ID!
          field(a: String @fromContext(field: "$ctx { secret }")): Int @requiresScopes(scopes: [["x"]])
        }
      `,
      gql`
        ${LINK}
        type Query {
          other: Int
        }
        type U @key(fields: "id") {
          id: ID!
        }
      `,
    );
    expect(fields.get('U.field')?.scopes.flat(2)).toEqual(['x']);
  });

  it('S-092 include those of required fields where composition has not stated them', () => {
    const supergraph = compose([
      {
        name: 'a',
        typeDefs: gql`
          extend schema
            @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@requiresScopes"])
          type Query {
            p: P
          }
          type P @key(fields: "id") {
            id: ID!
            inner: Inner
          }
          type Inner {
            email: String @requiresScopes(scopes: [["x"]])
          }
        `,
      },
      {
        name: 'b',
        typeDefs: gql`
          extend schema
            @link(
              url: "https://specs.apollo.dev/federation/v2.9"
              import: ["@key", "@external", "@requires", "@requiresScopes"]
            )
          type P @key(fields: "id") {
            id: ID!
            inner: Inner @external
            contact: String @requires(fields: "inner { email }") @requiresScopes(scopes: [["x"]])
          }
          type Inner {
            email: String @external
          }
        `,
      },
    ]);
    // An older composition let the field go without: remove its own statement.
    const stated = /(contact: String[^\n]*)@requiresScopes\(scopes: \[\["x"\]\]\)/;
    expect(supergraph).toMatch(stated);
    const { fields } = readAuthorizationRules(
      buildSupergraph(supergraph.replace(stated, '$1')).supergraphSchema,
    );
    expect(fields.get('P.contact')?.scopes).toEqual([[['x']]]);
  });

  it('that no caller can meet stay so', () => {
    const fields = requirementsOf(gql`
      ${LINK}
      type Query {
        a: Int @requiresScopes(scopes: [])
      }
    `);
    expect(fields.get('Query.a')?.scopes).toEqual([[]]);
  });
});
