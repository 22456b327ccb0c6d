import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginSubscriptionCallback } from '@apollo/server/plugin/subscriptionCallback';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { mercuriusFederationPlugin } from '@mercuriusjs/federation';
import fastify from 'fastify';
import { gql } from 'graphql-tag';
import { createYoga } from 'graphql-yoga';
import { startSmallSubgraph } from '../../fixtures/small-subgraph.ts';

/** A subgraph made with a library of others, as its README says and with its defaults. */
export interface ForeignSubgraph {
  readonly url: string;
  close(): Promise<void>;
}

/** Says who asks, by the signed context of the request. */
export type WhoAsks = (signedContext: string | null | undefined) => Promise<string>;

const HEADER = 'trellis-user-context';
const LINK = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
`;

async function* countdown(field: string): AsyncGenerator<Record<string, number>> {
  for (const left of [2, 1]) {
    yield { [field]: left };
    await pause(20);
  }
}

/** GraphQL Yoga: subscriptions as server-sent events, no WebSockets. */
export async function startYoga(whoAsks: WhoAsks): Promise<ForeignSubgraph> {
  const typeDefs = gql`
    ${LINK}
    type Query {
      product(id: ID!): Product
    }
    scalar File
    type Mutation {
      rateInYoga: String
      measure(file: File!, note: String): String
    }
    type Subscription {
      countdownInYoga: Int
    }
    type Product @key(fields: "id") {
      id: ID!
      name: String
    }
  `;
  const product = ({ id }: { readonly id: string }): object => ({ id, name: `Product ${id}` });
  const resolvers = {
    Query: { product: (_: unknown, args: { readonly id: string }) => product(args) },
    Mutation: {
      rateInYoga: (_: unknown, __: unknown, { request }: { readonly request: Request }) =>
        whoAsks(request.headers.get(HEADER)),
      measure: async (_: unknown, { file, note }: { readonly file: File; readonly note: string }) =>
        `${file.name} ${file.type} ${(await file.arrayBuffer()).byteLength} ${note}`,
    },
    Subscription: { countdownInYoga: { subscribe: () => countdown('countdownInYoga') } },
    Product: { __resolveReference: product },
  };
  const server = createServer(
    createYoga({ schema: buildSubgraphSchema({ typeDefs, resolvers: resolvers as never }) }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Mercurius: subscriptions over its own WebSocket server. */
export async function startMercurius(whoAsks: WhoAsks): Promise<ForeignSubgraph> {
  const app = fastify();
  await app.register(mercuriusFederationPlugin, {
    schema: gql`
      extend type Query {
        reviewCount: Int
      }
      extend type Mutation {
        rateInMercurius: String
      }
      extend type Subscription {
        countdownInMercurius: Int
      }
      extend type Product @key(fields: "id") {
        id: ID! @external
        reviews: [String!]
      }
    `,
    resolvers: {
      Query: { reviewCount: () => 2 },
      Mutation: {
        rateInMercurius: (
          _: unknown,
          __: unknown,
          { reply }: { readonly reply: { readonly request: { readonly headers: Record<string, string> } } },
        ) => whoAsks(reply.request.headers[HEADER]),
      },
      Subscription: { countdownInMercurius: { subscribe: () => countdown('countdownInMercurius') } },
      Product: { reviews: ({ id }: { readonly id: string }) => [`Good, ${id}.`] },
    } as never, // its types know no generators
    subscription: true,
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: `${address}/graphql`, close: () => app.close() };
}

/** Apollo Server, standalone: subscriptions by its own plugin, over HTTP callbacks. */
export async function startApollo(whoAsks: WhoAsks): Promise<ForeignSubgraph> {
  const typeDefs = gql`
    ${LINK}
    type Query {
      currency: String
    }
    type Mutation {
      rateInApollo: String
    }
    type Subscription {
      countdownInApollo: Int
    }
    type Product @key(fields: "id") {
      id: ID!
      price: Int
    }
  `;
  const resolvers = {
    Query: { currency: () => 'EUR' },
    Mutation: {
      rateInApollo: (_: unknown, __: unknown, { signed }: { readonly signed: string }) => whoAsks(signed),
    },
    Subscription: { countdownInApollo: { subscribe: () => countdown('countdownInApollo') } },
    Product: { __resolveReference: (reference: object) => reference, price: () => 12 },
  };
  const server = new ApolloServer<{ signed: string }>({
    schema: buildSubgraphSchema({ typeDefs, resolvers: resolvers as never }),
    plugins: [ApolloServerPluginSubscriptionCallback()],
  });
  const { url } = await startStandaloneServer(server, {
    listen: { port: 0, host: '127.0.0.1' },
    context: async ({ req }) => ({ signed: String(req.headers[HEADER]) }),
  });
  return { url, close: () => server.stop() };
}

/** node:http and graphql-js: no subscriptions, no mutations. */
export async function startPlain(): Promise<ForeignSubgraph> {
  const { url, close } = await startSmallSubgraph({
    schema: gql`
      ${LINK}
      type Query {
        warehouse: String
      }
      type Product @key(fields: "id") {
        id: ID!
        stock: Int
      }
    `,
    resolvers: {
      Query: { warehouse: () => 'North' },
      Product: { __resolveReference: (reference: object) => reference, stock: () => 7 },
    },
  });
  return { url, close };
}
