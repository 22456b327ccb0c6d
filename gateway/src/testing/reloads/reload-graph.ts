import { setTimeout as pause } from 'node:timers/promises';
import { gql } from 'graphql-tag';
import { startEventGraph, type NewsSubgraph } from '../event-graph.ts';
import { startSubgraph, type SubgraphRequestContext, type SubgraphServer } from '../subgraph-server.ts';

/** Subgraphs in which the effect of every setting can be seen. */
export interface ReloadGraph {
  /** Answers slowly, fails, answers at length, and guards: each by a field. */
  readonly desk: SubgraphServer;
  /** Has more of the desk's things, and what is moved from it step by step. */
  readonly shelf: SubgraphServer;
  readonly news: NewsSubgraph;
  /** Slow requests that the desk has had at a time, since it was set to 0. */
  readonly slowRequests: { mostAtOnce: number };
  readonly all: readonly SubgraphServer[];
  close(): Promise<void>;
}

/** What a slow field takes, milliseconds. */
export const SLOW_MS = 80;

const LINK = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: ["@key", "@policy", "@requiresScopes", "@override", "@composeDirective"]
    )
    @link(url: "https://caching.test/caching/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int, scope: caching__Scope) on FIELD_DEFINITION
  enum caching__Scope {
    PUBLIC
    PRIVATE
  }
`;

const DESK = gql`
  ${LINK}
  scalar Upload
  type Query {
    open: String
    sure: String!
    slow(id: Int, ms: Int): String
    flaky(id: Int): String
    long: String
    fail: String
    echo(text: String, list: [Int!]): String
    vetted: String @policy(policies: [["vetted"]])
    counted: Int @cacheControl(maxAge: 600, scope: PUBLIC)
    things(first: Int, some: Int): [Thing!]!
    thing: Thing
    moved: String
  }
  type Mutation {
    upload(files: [Upload]): String
  }
  type Thing @key(fields: "id") {
    id: ID!
    name: String
  }
`;

const SHELF = gql`
  ${LINK}
  type Query {
    moved: String @override(from: "desk", label: "beta")
  }
  type Thing @key(fields: "id") {
    id: ID!
    note: String
    slowNote: String
  }
`;

const THINGS = Array.from({ length: 3 }, (_, index) => ({ id: `thing-${index}`, name: `Thing ${index}` }));

/** Starts all of them on free ports. */
export async function startReloadGraph(): Promise<ReloadGraph> {
  let counted = 0;
  let slowNow = 0;
  const slowRequests = { mostAtOnce: 0 };
  const events = await startEventGraph();
  const desk = await startSubgraph({
    name: 'desk',
    typeDefs: DESK,
    resolvers: {
      Query: {
        open: (_: unknown, __: unknown, context: unknown) => {
          (context as SubgraphRequestContext).response.setHeader('x-desk', 'of the desk'); // as startSubgraph makes it
          return 'open to all';
        },
        sure: () => null,
        slow: async (_: unknown, { ms }: { ms?: number }) => {
          slowNow += 1;
          slowRequests.mostAtOnce = Math.max(slowRequests.mostAtOnce, slowNow);
          await pause(ms ?? SLOW_MS);
          slowNow -= 1;
          return 'at last';
        },
        flaky: (_: unknown, __: unknown, context: unknown) => {
          (context as SubgraphRequestContext).response.statusCode = 503; // as startSubgraph makes it
          return null;
        },
        long: () => 'x'.repeat(10_000),
        fail: () => {
          throw Object.assign(new Error('the desk is on fire'), {
            extensions: { code: 'FIRE', hint: 'water' },
          });
        },
        echo: (_: unknown, args: unknown) => JSON.stringify(args),
        vetted: () => 'seen',
        counted: () => (counted += 1),
        things: () => THINGS,
        thing: () => THINGS[0],
        moved: () => 'desk',
      },
    },
  });
  const shelf = await startSubgraph({
    name: 'shelf',
    typeDefs: SHELF,
    resolvers: {
      Query: { moved: () => 'shelf' },
      Thing: {
        __resolveReference: ({ id }: { id: string }) => ({ id, note: 'a note' }),
        slowNote: () => pause(SLOW_MS, 'a late note'),
      },
    },
  });
  return {
    desk,
    shelf,
    news: events.news,
    slowRequests,
    all: [desk, shelf, ...events.all],
    close: async () => {
      await Promise.all([desk.close(), shelf.close(), events.close()]);
    },
  };
}
