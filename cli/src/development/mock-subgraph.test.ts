import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { mockSubgraph } from './mock-subgraph.ts';

const POSTS = print(gql`
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])
  type Query {
    posts(first: Int!): PostConnection!
    post(id: ID!): Post
    node(id: ID!): Node
  }
  type PostConnection {
    nodes: [Post!]!
    pageInfo: PageInfo!
  }
  type PageInfo {
    hasNextPage: Boolean!
    endCursor: String
  }
  interface Node {
    id: ID!
  }
  enum Status {
    DRAFT
    PUBLISHED
  }
  scalar DateTime
  scalar EmailAddress
  scalar Odd
  type Post implements Node @key(fields: "id") {
    id: ID!
    title: String!
    status: Status!
    savedAt: DateTime!
    mail: EmailAddress!
    odd: Odd
    likes: Int!
    rate: Float!
    author: User!
  }
  type User @key(fields: "name region") {
    name: String!
    region: String!
    posts: [Post!]!
  }
`);

async function ask(query: string, variables: Readonly<Record<string, unknown>> = {}, sdl = POSTS) {
  const { data, errors } = (await mockSubgraph(sdl)?.execute({ query, variables })) ?? {};
  expect(errors).toBeUndefined();
  return JSON.parse(JSON.stringify(data)) as Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any -- whatever was asked for
}

describe('A mocked subgraph', () => {
  it('has values of each type, and ends lists', async () => {
    const { post } = await ask('{ post(id: "7") { id title status savedAt mail odd likes rate } }');
    expect(post).toEqual({
      id: '7',
      title: expect.stringMatching(/^title \d+$/),
      status: expect.stringMatching(/^(DRAFT|PUBLISHED)$/),
      savedAt: expect.stringMatching(/^2026-\d\d-\d\dT/),
      mail: expect.stringMatching(/^user\d+@example\.com$/),
      odd: expect.stringMatching(/^odd \d+$/),
      likes: expect.any(Number),
      rate: expect.any(Number),
    });
    const { posts } = await ask('{ posts(first: 2) { nodes { id } pageInfo { hasNextPage } } }');
    expect(posts).toEqual({
      nodes: [{ id: expect.stringMatching(/^Post-\d$/) }, { id: expect.any(String) }],
      pageInfo: { hasNextPage: false },
    });
    expect(await ask('{ node(id: "7") { __typename id } }')).toEqual({
      node: { __typename: 'Post', id: '7' },
    });
  });

  it('has one object for each id, by whatever way it is asked for, each time', async () => {
    const { post } = await ask('{ post(id: "7") { title author { name posts { id title } } } }');
    const representations = [{ __typename: 'Post', id: '7' }];
    const entities = 'query ($representations: [_Any!]!) { _entities(representations: $representations) {';
    const [byReference] = (
      await ask(`${entities} ... on Post { title author { name } } } }`, { representations })
    )['_entities'];
    expect(byReference).toEqual({ title: post.title, author: { name: post.author.name } });
    const users = [{ __typename: 'User', name: 'Ada', region: 'eu' }];
    const [user] = (
      await ask(`${entities} ... on User { name region posts { title } } } }`, { representations: users })
    )['_entities'];
    expect(user).toEqual({
      name: 'Ada',
      region: 'eu',
      posts: [{ title: expect.any(String) }, { title: expect.any(String) }],
    });
  });

  it('has ids of the type that its schema gives them', async () => {
    const sdl = print(gql`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
      scalar UUID
      type Query {
        orders: [Order!]!
        order(id: Int!): Order!
      }
      type Order @key(fields: "id") {
        id: Int!
        text: String!
        parcel: Parcel!
      }
      type Parcel {
        id: UUID!
      }
    `);
    const { order, orders } = await ask('{ order(id: 7) { id text parcel { id } } orders { id } }', {}, sdl);
    expect([order.id, order.parcel.id]).toEqual([7, expect.stringMatching(/^0{8}-0000-7000-8000-\d{12}$/)]);
    expect(orders).toEqual([{ id: expect.any(Number) }, { id: expect.any(Number) }]);
    const query = 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Order { text } } }';
    const of = [7, 8].map((id) => ({ __typename: 'Order', id }));
    const { _entities: entities } = await ask(query, { of }, sdl);
    expect(entities[0]).toEqual({ text: order.text });
    expect(entities[1]).not.toEqual(entities[0]);
  });

  it('rejects what its schema does not have', async () => {
    const result = await mockSubgraph(POSTS)?.execute({ query: '{ unknown }' });
    expect(result?.errors?.[0]?.message).toMatch(/Cannot query field "unknown"/);
  });

  it('is none where the text is no schema', () => {
    for (const sdl of [
      'type Query {',
      print(gql`
        type Query {
          a: Missing
        }
      `),
      '',
    ])
      expect(mockSubgraph(sdl)).toBeUndefined();
  });
});
