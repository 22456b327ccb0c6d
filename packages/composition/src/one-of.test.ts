import { describe, expect, it } from 'vitest';
import { buildASTSchema, isInputObjectType, parse, print } from 'graphql';
import { gql } from 'graphql-tag';
import { apiSchemaOf } from './api-schema.ts';
import { compareShapes } from './changes/compare-shapes.ts';
import { markOneOf } from './one-of.ts';
import { errorsOf, supergraphOf } from './testing/compose-schemas.ts';

const fed2 = `${print(gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@shareable"])
`)}\n`;
const ADVERT = 'directive @oneOf on INPUT_OBJECT\n';

/** Whether clients of the supergraph see the input as `@oneOf`. */
function isOneOf(supergraph: string, name: string): boolean {
  const type = apiSchemaOf(supergraph).getType(name);
  return isInputObjectType(type) && type.isOneOf;
}

const a = print(gql`
  type Query {
    user(by: UserBy!): String
  }
  input UserBy @oneOf {
    id: ID
    name: String
  }
`);
const b = print(gql`
  type Query {
    post(by: UserBy!): String
  }
  input UserBy @oneOf {
    id: ID
    slug: String
  }
`);

describe('GraphQL specification, "OneOf Input Objects": composition', () => {
  it.each([
    ['Federation 1', a],
    ['Federation 2', fed2 + a],
    ['Federation 2, the directive defined', fed2 + ADVERT + a],
    [
      'an extension of the input',
      `${fed2}${a.replace(' @oneOf', '')}\n${print(gql`
        extend input UserBy @oneOf {
          mail: String
        }
      `)}`,
    ],
  ])('keeps @oneOf: %s', (_, sdl) => {
    const supergraph = supergraphOf({ a: sdl });
    expect(isOneOf(supergraph, 'UserBy')).toBe(true);
    expect(supergraph.match(/^directive @oneOf on INPUT_OBJECT$/gm)).toHaveLength(1);
  });

  it('keeps it of an input that several subgraphs define, with the fields that they share', () => {
    const supergraph = supergraphOf({ a: fed2 + a, b: fed2 + ADVERT + b });
    expect(isOneOf(supergraph, 'UserBy')).toBe(true);
    expect(supergraph).not.toContain('slug');
  });

  it('keeps it of inputs of inputs, and marks no other', () => {
    const supergraph = supergraphOf({
      a: gql`
        ${fed2}
        type Query {
          find(where: Where, page: Page): String
        }
        input Where {
          by: [By!]
        }
        input By @oneOf {
          id: ID
          not: By
        }
        input Page {
          first: Int
        }
      `,
    });
    expect(['Where', 'By', 'Page'].map((name) => isOneOf(supergraph, name))).toEqual([false, true, false]);
  });

  it('changes no supergraph without one', () => {
    const supergraph = supergraphOf({
      a: gql`
        type Query {
          a(in: In): Int
        }
        input In {
          x: Int
        }
      `,
    });
    expect(supergraph).not.toContain('oneOf');
    expect(markOneOf(supergraph, new Set(['Missing']))).toBe(supergraph);
  });

  it('rejects an input that is @oneOf in one subgraph and not in another, at its place', () => {
    const without = `${fed2}type Query { post(by: UserBy!): String }\ninput UserBy { id: ID }`;
    expect(errorsOf({ a: fed2 + a, b: without })).toEqual([
      'b.graphql:3:7: INPUT_WITH_MISSING_ONE_OF: UserBy is @oneOf, but not in "b".',
    ]);
  });

  it('rejects fields that are non-null or have a default, at their places', () => {
    const sdl = `${fed2}type Query { a(in: In!): Int }\ninput In @oneOf {\n  x: Int!\n  y: Int = 1\n}`;
    expect(errorsOf({ a: sdl })).toEqual([
      'a.graphql:4:3: INVALID_GRAPHQL: [a] In.x must be nullable: its input is @oneOf.',
      'a.graphql:5:3: INVALID_GRAPHQL: [a] In.y cannot have a default value: its input is @oneOf.',
    ]);
  });

  it('does not take another directive of that name for it', () => {
    const other = 'directive @oneOf(of: Int) on INPUT_OBJECT\n';
    expect(isOneOf(supergraphOf({ a: fed2 + other + a }), 'UserBy')).toBe(false);
  });

  it('writes what can be parsed, whatever stands before and behind the input', () => {
    const marked = markOneOf(
      'directive @d on INPUT_OBJECT\n"""A: {"""\ninput A @d { x: Int }\ninput B { a: A }',
      new Set(['A', 'B']),
    );
    expect(() => parse(marked)).not.toThrow();
    expect(
      buildASTSchema(gql`
        ${marked}
        type Query {
          a(b: B): Int
        }
      `).getType('B'),
    ).toMatchObject({
      isOneOf: true,
    });
  });
});

describe('check', () => {
  const before = buildASTSchema(gql`
    type Query {
      a(in: In): Int
    }
    input In {
      x: Int
      y: Int
    }
  `);
  const after = buildASTSchema(gql`
    type Query {
      a(in: In): Int
    }
    input In @oneOf {
      x: Int
      y: Int
    }
  `);

  it('finds that an input becomes @oneOf, and that it no longer is', () => {
    expect(compareShapes(before, after)).toMatchObject([{ code: 'ONE_OF_ADDED', coordinate: 'In' }]);
    expect(compareShapes(after, before)).toMatchObject([{ code: 'ONE_OF_REMOVED', coordinate: 'In' }]);
  });
});
