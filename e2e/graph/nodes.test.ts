import { beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';
import { allPosts } from './content.ts';

const { graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);

interface Discussed {
  readonly id: string;
  readonly title: string;
  readonly author: { readonly id: string; readonly name: string };
  readonly comments: readonly { readonly id: string; readonly body: string }[];
}

const NODES = `query ($ids: [ID!]!) { nodes(ids: $ids) {
  __typename
  id
  ... on Post { title comments(limit: 1) { id } }
  ... on User { name }
  ... on Comment { body }
} }`;

describe('A4: nodes', () => {
  let post: Discussed;
  beforeAll(async () => {
    const query = '{ posts(first: 50) { id title author { id name } comments(limit: 1) { id body } } }';
    const response = await askGraph<{ posts: Discussed[] }>(graph, { query, token: await tokens.of('vi') });
    post = dataOf(response).posts.find(({ comments }) => comments.length > 0) as Discussed;
  });

  it('have the fields of their owners, in the order of their ids', async () => {
    const [comment] = post.comments;
    const ids = [post.author.id, 'unknown', comment?.id, post.id];
    const response = await askGraph(graph, {
      query: NODES,
      variables: { ids },
      token: await tokens.of('vi'),
    });
    expect([response.errors, dataOf(response)['nodes']]).toEqual([
      undefined,
      [
        { __typename: 'User', ...post.author },
        null,
        { __typename: 'TextComment', ...comment },
        { __typename: 'Post', id: post.id, title: post.title, comments: [{ id: comment?.id }] },
      ],
    ]);
  });

  it('are null for drafts of others, without an error', async () => {
    const ids = (await allPosts(graph, await tokens.of('ada')))
      .filter(({ published }) => !published)
      .map(({ id }) => id)
      .slice(0, 3);
    const asVi = await askGraph(graph, { query: NODES, variables: { ids }, token: await tokens.of('vi') });
    expect([ids.length, asVi.errors, dataOf(asVi)['nodes']]).toEqual([3, undefined, [null, null, null]]);
    const asAda = await askGraph<{ nodes: readonly { id: string }[] }>(graph, {
      query: NODES,
      variables: { ids },
      token: await tokens.of('ada'),
    });
    expect(dataOf(asAda).nodes.map(({ id }) => id)).toEqual(ids);
  });

  it('cost as much as there are ids, and are for those who may read', async () => {
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Post { comments(limit: 100) { author { name } } } } }`;
    const token = await tokens.of('vi');
    const cheap = await askGraph(graph, { query, variables: { ids: [post.id] }, token });
    expect(cheap.errors).toBeUndefined();
    const ids = Array.from({ length: 100 }, () => post.id);
    const dear = await askGraph(graph, { query, variables: { ids }, token });
    expect(dear.errors?.[0]?.extensions).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      limit: { name: 'cost' },
    });
    const rejected = await askGraph(graph, { query: `{ node(id: "${post.id}") { id } }` });
    expect(rejected.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });
});
