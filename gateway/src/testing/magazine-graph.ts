import { gql } from 'graphql-tag';
import { createGate, type Gate } from './gate.ts';
import { startSubgraph, type SubgraphServer } from './subgraph-server.ts';

/** Three subgraphs of a magazine; each but the first answers when its gate is open. */
export interface MagazineGraph {
  readonly posts: SubgraphServer;
  readonly reviews: SubgraphServer;
  readonly stats: SubgraphServer;
  readonly reviewsGate: Gate;
  readonly statsGate: Gate;
  readonly all: readonly SubgraphServer[];
  close(): Promise<void>;
}

const LINK = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@requiresScopes"])
`;

const POSTS = gql`
  ${LINK}
  type Query {
    post: Post
    posts: [Post!]!
    noAuthor: Author
  }
  type Mutation {
    publish: Post
  }
  type Subscription {
    published: Post
  }
  type Post @key(fields: "id") {
    id: ID!
    title: String!
    subtitle: String
    unprintable: String!
    author: Author
  }
  type Author @key(fields: "id") {
    id: ID!
    name: String!
  }
`;

const REVIEWS = gql`
  ${LINK}
  type Post @key(fields: "id") {
    id: ID!
    rating: Int
    lost: String
    torn: String!
    reviews: [Review!]!
  }
  type Review {
    text: String!
    by: Author!
  }
  type Author @key(fields: "id") {
    id: ID!
    fame: Int!
    oath: String!
  }
`;

const STATS = gql`
  ${LINK}
  type Post @key(fields: "id") {
    id: ID!
    views: Int!
    income: Int @requiresScopes(scopes: [["read:income"]])
    summary: String
  }
`;

const ALL_POSTS = ['First', 'Second'].map((title, index) => ({
  id: `p${index + 1}`,
  title,
  subtitle: null,
  author: { id: 'ada', name: 'Ada' },
}));

function fail(what: string): never {
  throw new Error(`${what} is broken.`);
}

/** Starts the subgraphs on free ports, gates open. */
export async function startMagazineGraph(): Promise<MagazineGraph> {
  const reviewsGate = createGate();
  const statsGate = createGate();
  const posts = await startSubgraph({
    name: 'posts',
    typeDefs: POSTS,
    resolvers: {
      Query: { post: () => ALL_POSTS[0], posts: () => ALL_POSTS, noAuthor: () => null },
      Mutation: { publish: () => ALL_POSTS[1] },
      Post: {
        __resolveReference: ({ id }: { id: string }) => ALL_POSTS.find((post) => post.id === id),
        subtitle: () => fail('subtitle'),
        unprintable: () => fail('unprintable'),
      },
      Author: { __resolveReference: () => ALL_POSTS[0]?.author },
    },
  });
  const reviews = await startSubgraph({
    name: 'reviews',
    typeDefs: REVIEWS,
    resolvers: {
      Post: {
        __resolveReference: async (post: unknown) => {
          await reviewsGate.pass();
          return post;
        },
        rating: () => 5,
        lost: () => fail('lost'),
        torn: () => fail('torn'),
        reviews: () => [{ text: 'Good.', by: { id: 'ada' } }],
      },
      Author: {
        __resolveReference: async (author: unknown) => {
          await reviewsGate.pass();
          return author;
        },
        fame: () => 7,
        oath: () => fail('oath'),
      },
    },
  });
  const stats = await startSubgraph({
    name: 'stats',
    typeDefs: STATS,
    resolvers: {
      Post: {
        __resolveReference: async (post: unknown) => {
          await statsGate.pass();
          return post;
        },
        views: () => 100,
        income: () => 3,
        summary: () => 'x'.repeat(1_000),
      },
    },
  });
  const all = [posts, reviews, stats];
  return {
    posts,
    reviews,
    stats,
    reviewsGate,
    statsGate,
    all,
    async close() {
      await Promise.all(all.map((subgraph) => subgraph.close()));
    },
  };
}
