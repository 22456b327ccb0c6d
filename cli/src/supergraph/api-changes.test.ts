import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { compareGraphs } from '@trellis/composition';
import { describe, expect, it } from 'vitest';
import { linkSchema, type UnlinkedSchema } from '../../testing/federation-link.ts';
import { verdictOf } from '../../testing/pair-verdicts.ts';
import { serveSchemas } from '../../testing/served-pair.ts';
import type { ServedGraph } from './served-graph.ts';

const LINK = print(gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@inaccessible"])
`);

function serve(schemas: Readonly<Record<string, UnlinkedSchema>>): ServedGraph {
  const linked = Object.entries(schemas).map(
    ([name, typeDefs]) => [name, linkSchema(typeDefs, LINK)] as const,
  );
  return serveSchemas(Object.fromEntries(linked));
}

function changesBetween(before: ServedGraph, after: ServedGraph): readonly string[] {
  return compareGraphs(before.comparable, after.comparable).map(
    ({ code, coordinate }) => `${code} ${coordinate}`,
  );
}

describe('Changes of a graph', () => {
  const users = (fields: string): string =>
    `type Query { me: User }\ntype User @key(fields: "id") { id: ID! ${fields} }`;
  const before = serve({ users: users('name: String bio: String') });

  it('have no removal when a field moves to another subgraph', () => {
    const profiles = gql`
      type User @key(fields: "id") {
        id: ID!
        bio: String
      }
    `;
    const after = serve({ users: users('name: String'), profiles });
    const changes = changesBetween(before, after);
    expect(changes).toContain('FIELD_MOVED User.bio');
    expect(changes.map((key) => verdictOf({ before, after }, key))).not.toContain('breaking');
    expect(changes.filter((key) => key.startsWith('FIELD_REMOVED'))).toEqual([]);
  });

  it('have the removal of a field that becomes @inaccessible, and nothing of one that was added so', () => {
    const hidden = 'name: String bio: String @inaccessible secret: String @inaccessible';
    const after = serve({ users: users(hidden) });
    expect(changesBetween(before, after)).toEqual(['FIELD_REMOVED User.bio']);
    expect(verdictOf({ before, after }, 'FIELD_REMOVED User.bio')).toBe('breaking');
    expect(changesBetween(after, before)).toEqual(['FIELD_ADDED User.bio']);
  });

  it('have an argument that loses its default, and so becomes required, once, as breaking', () => {
    const sides = {
      before: serve({
        a: gql`
          type Query {
            a(x: Int! = 1): Int
          }
        `,
      }),
      after: serve({
        a: gql`
          type Query {
            a(x: Int!): Int
          }
        `,
      }),
    };
    expect(changesBetween(sides.before, sides.after)).toEqual(['DEFAULT_OF_REQUIRED_REMOVED Query.a(x:)']);
    expect(verdictOf(sides, 'DEFAULT_OF_REQUIRED_REMOVED Query.a(x:)')).toBe('breaking');
  });
});
