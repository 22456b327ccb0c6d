import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { EVENT_ID_EXTENSION, readLastEventId } from '@trellis/subgraph-protocol';
import { graphql } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { gql } from 'graphql-tag';
import { NewsFeed, newsValueOf, type NewsEvent, type NewsStream } from './news-feed.ts';
import { startSubgraph, type ReceivedRequest, type SubgraphServer } from './subgraph-server.ts';

/** A subgraph whose subscriptions are served by graphql-ws' own server, and which the test lets speak. */
export interface NewsSubgraph extends SubgraphServer {
  /** What `subscribe` messages carried, and `connection_init` before them. */
  readonly subscribed: readonly SubscribePayload[];
  readonly initialised: readonly unknown[];
  /** How many subscriptions are open now. */
  open(): number;
  /** Sends an event on all streams of the topic. Where it has an event id, streams can be resumed after it. */
  publish(event: NewsEvent, topic?: string): void;
  /** Ends all streams in order. */
  complete(): void;
  /** Breaks all sockets, as a process that dies does. */
  breakSockets(): void;
}

/** The graph of a news desk: events from one subgraph, their authors from another. */
export interface EventGraph {
  readonly news: NewsSubgraph;
  readonly people: SubgraphServer;
  readonly all: readonly SubgraphServer[];
  close(): Promise<void>;
}

/** The schema of the news; a test may change it and compose again. */
export const NEWS = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: ["@key", "@authenticated", "@requiresScopes", "@composeDirective"]
    )
    @link(url: "https://specs.trellis.dev/subscriptions/v1.0", import: ["@sharedSubscription"])
    @composeDirective(name: "@sharedSubscription")
  directive @sharedSubscription on FIELD_DEFINITION
  type Query {
    latest: News
    count: Int!
  }
  type Mutation {
    bump: Int!
  }
  type Subscription {
    published(topic: String = "all"): News!
    shared: News! @sharedSubscription
    guarded: News @requiresScopes(scopes: [["read:data"]])
    rejected: News
  }
  type News {
    id: ID!
    author: User
    secret: String @authenticated
    broken: String!
  }
  type User @key(fields: "id", resolvable: false) {
    id: ID!
  }
`;

const PEOPLE = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query {
    user(id: ID!): User
  }
  type User @key(fields: "id") {
    id: ID!
    name: String!
  }
`;

/** Starts both subgraphs on free ports. */
export async function startEventGraph(): Promise<EventGraph> {
  const news = await startNews();
  const people = await startSubgraph({
    name: 'people',
    typeDefs: PEOPLE,
    resolvers: {
      Query: { user: findUser },
      User: {
        __resolveReference: ({ id }: { id: string }) => (id === 'gone' ? null : { id, name: `User ${id}` }),
      },
    },
  });
  const all = [news, people];
  return {
    news,
    people,
    all,
    close: async () => {
      await Promise.all(all.map((subgraph) => subgraph.close()));
    },
  };
}

const SLOW_MS = 300;

/** The user `slow` takes a while. */
async function findUser(_: unknown, { id }: { readonly id: string }): Promise<unknown> {
  if (id === 'slow') await pause(SLOW_MS);
  return { id, name: `User ${id}` };
}

/** What belongs to one subscription: resolvers and results of all its events share it. */
interface StreamContext {
  readonly lastEventId: string | undefined;
  stream?: NewsStream;
}

async function startNews(): Promise<NewsSubgraph> {
  const feed = new NewsFeed();
  let count = 0;
  const received: ReceivedRequest[] = [];
  const subscribed: SubscribePayload[] = [];
  const initialised: unknown[] = [];
  const subscribeTo = (topic: string, field: string, context: StreamContext): NewsStream =>
    (context.stream = feed.subscribe({ topic, field, lastEventId: context.lastEventId }));
  const schema = buildSubgraphSchema({
    typeDefs: NEWS,
    resolvers: {
      Query: { latest: () => newsValueOf({ id: 'latest' }), count: () => count },
      Mutation: { bump: () => (count += 1) },
      Subscription: {
        published: {
          subscribe: (_: unknown, { topic }: { topic: string }, context: StreamContext) =>
            subscribeTo(topic, 'published', context),
        },
        shared: {
          subscribe: (_: unknown, __: unknown, context: StreamContext) =>
            subscribeTo('all', 'shared', context),
        },
        guarded: {
          subscribe: (_: unknown, __: unknown, context: StreamContext) =>
            subscribeTo('all', 'guarded', context),
        },
        rejected: {
          subscribe: () => {
            throw new Error('no such desk at pg-7.internal');
          },
        },
      } as never, // Apollo's types know no subscribe resolvers
    },
  });
  const server = createServer((request, response) => {
    void readText(request).then(async (text) => {
      const { query, variables } = JSON.parse(text) as { query: string; variables?: Record<string, unknown> };
      received.push({ headers: request.headers, query, variables: variables ?? {} });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(await graphql({ schema, source: query, variableValues: variables })));
    });
  });
  const sockets = new WebSocketServer({ server, path: '/graphql' });
  const running = useServer(
    {
      schema,
      onConnect: ({ connectionParams }) => void initialised.push(connectionParams),
      onSubscribe: (_context, _id, payload) => void subscribed.push(payload),
      context: (_context, _id, { extensions }): StreamContext => ({
        lastEventId: readLastEventId(extensions),
      }),
      onNext: (_context, _id, _payload, args, { data, errors }) => ({
        ...(data !== undefined && { data }),
        ...(errors && { errors: errors.map((error) => error.toJSON()) }),
        ...extensionsOf(args.contextValue as StreamContext),
      }),
    },
    sockets,
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    name: 'news',
    url: `http://127.0.0.1:${port}/graphql`,
    typeDefs: NEWS,
    received,
    subscribed,
    initialised,
    open: () => feed.streams.size,
    publish: (event, topic = 'all') => feed.publish(event, topic),
    complete() {
      for (const stream of feed.streams) stream.end();
    },
    breakSockets() {
      for (const socket of sockets.clients) socket.terminate();
    },
    aborted: () => 0,
    forget() {
      received.splice(0);
      subscribed.splice(0);
      initialised.splice(0);
    },
    async close() {
      await running.dispose();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function extensionsOf({ stream }: StreamContext): { extensions?: Record<string, string> } {
  const eventId = stream?.takenId;
  return eventId === undefined ? {} : { extensions: { [EVENT_ID_EXTENSION]: eventId } };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks).toString('utf8');
}
