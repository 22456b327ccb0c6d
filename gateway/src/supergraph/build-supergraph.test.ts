import { describe, expect, it } from 'vitest';
import { print, printSchema } from 'graphql';
import { gql } from 'graphql-tag';
import { archive, emporium } from '../../test-fixtures/graphs/emporium.ts';
import { legacy } from '../../test-fixtures/graphs/legacy.ts';
import { library } from '../../test-fixtures/graphs/library.ts';
import { FEDERATION, type HandSubgraph } from '../../test-fixtures/hand-graph.ts';
import { composeGraph } from '../../test-fixtures/synthetic/start-graph.ts';
import type { GraphDefinition } from '../../test-fixtures/synthetic/subgraph-definition.ts';
import { replaceInTypeDefs } from '../testing/replace-in-type-defs.ts';
import { buildSupergraph, identifySupergraph, InvalidSupergraph } from './build-supergraph.ts';

const guarded = composeGraph(
  {
    name: 'guarded',
    subgraphs: [
      {
        name: 'a',
        typeDefs: gql`
          ${replaceInTypeDefs(FEDERATION, '"@key"', '"@key", "@requiresScopes", "@policy", { name: "@authenticated", as: "@login" }')}
          type Query {
            open: Int
            closed: Int @login
            scoped: Int @requiresScopes(scopes: [["read"]])
            hidden: Secret @inaccessible
          }
          type Secret @inaccessible {
            value: Int @policy(policies: [["p"]])
          }
        `,
      },
    ],
  },
  () => 'http://a.test/graphql',
);

const urlOf = (name: string): string => `http://${name}.test/`;

function named(subgraphs: Readonly<Record<string, HandSubgraph>>): GraphDefinition['subgraphs'] {
  return Object.entries(subgraphs).map(([name, { typeDefs }]) => ({ name, typeDefs }));
}

describe('a supergraph', () => {
  it('that guards fields is served', () => {
    const { schema, subgraphs } = buildSupergraph(guarded);
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(['open', 'closed', 'scoped']);
    expect(subgraphs.get('a')).toEqual({ name: 'a', url: 'http://a.test/graphql' });
  });

  it.each([{}, { subgraphUrls: { a: 'http://b.test/"quoted"' } }])(
    'is known by the same name before it is built, with %j',
    (options) => {
      const { hash } = buildSupergraph(guarded, options);
      expect(identifySupergraph(guarded, options)).toEqual({ hash, sdl: guarded });
    },
  );

  it.each([
    ['what is hidden', guarded],
    ['a graph of many subgraphs', composeGraph({ name: 'emporium', subgraphs: named(emporium) }, urlOf)],
    ['interface objects', composeGraph({ name: 'archive', subgraphs: named(archive) }, urlOf)],
    ['schemas of Federation 1', composeGraph(legacy, urlOf)],
    ['unions and inputs', composeGraph(library, urlOf)],
  ])(
    'that is composed here shows clients the same schema as one that is validated, with %s',
    (_what, sdl) => {
      const [validated, ...others] = [
        {},
        { isComposedHere: true },
        { isComposedHere: false, isClientSchemaTrusted: true },
      ].map((options) => printSchema(buildSupergraph(sdl, options).schema));
      expect(others).toEqual([validated, validated]);
    },
  );

  it('S-042 hides what is inaccessible, and shows @defer and @live', () => {
    const { schema } = buildSupergraph(guarded);
    expect(schema.getType('Secret')).toBeUndefined();
    expect(schema.getDirective('defer')).toBeDefined();
    expect(schema.getDirective('live')).toBeDefined();
  });

  it('S-040 has no fields of the federation protocol', () => {
    const fields = buildSupergraph(guarded).schema.getQueryType()?.getFields();
    expect(fields).not.toHaveProperty('_entities');
    expect(fields).not.toHaveProperty('_service');
  });

  it('takes other addresses, and is another generation then', () => {
    const moved = buildSupergraph(guarded, { subgraphUrls: { a: 'http://moved.test/' } });
    expect(moved.subgraphs.get('a')?.url).toBe('http://moved.test/');
    expect(moved.hash).not.toBe(buildSupergraph(guarded).hash);
    expect(buildSupergraph(guarded).hash).toBe(buildSupergraph(guarded).hash);
  });

  it.each([
    ['nothing', ''],
    ['text that is no GraphQL', 'type {'],
    ['half of a supergraph', guarded.slice(0, guarded.length / 2)],
    [
      'a schema that is no supergraph',
      print(gql`
        type Query {
          a: Int
        }
      `),
    ],
  ])('that is %s is rejected in words', (_name, sdl) => {
    expect(() => buildSupergraph(sdl)).toThrow(InvalidSupergraph);
  });

  it('is distinguished from the schema of a subgraph, and from a schema with a mistake', () => {
    const subgraph = gql`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key"])
      type Query {
        a: A
      }
      type A @key(fields: "id") {
        id: ID!
      }
    `;
    expect(() => buildSupergraph(print(subgraph))).toThrow(/not link to https:\/\/specs\.apollo\.dev\/join,/);
    expect(() => buildSupergraph('type Query {\n  a: }')).toThrow(/^The text .*: Syntax Error: .*\(2:6\)$/);
  });

  it('with connectors is rejected in words', () => {
    const link = '@link(url: "https://specs.apollo.dev/connect/v0.1", for: EXECUTION)';
    const sdl = guarded.replace(/schema\s+@link/, (start) => start.replace('@link', `${link} @link`));
    expect(() => buildSupergraph(sdl)).toThrow(/connectors/);
  });
});
