import { batchRequests, ClientError, GraphQLClient } from 'graphql-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cell } from '../cell.ts';
import {
  ADD_COMMENT,
  authorization,
  endpoint,
  LIVE,
  NEEDS_STREAM,
  openStage,
  POSTS,
  STREAMED,
  TOO_LARGE,
  WRONG,
  type Stage,
} from '../scene.ts';

interface Posts {
  readonly posts: readonly { readonly title: string }[];
}

describe('graphql-request', () => {
  let stage: Stage;
  let headers: Record<string, string>;

  beforeAll(async () => {
    [stage, headers] = await Promise.all([
      openStage(),
      authorization().then((value) => ({ authorization: value })),
    ]);
  });
  afterAll(() => stage.remove());

  it(cell('graphql-request', 'query'), async () => {
    const client = new GraphQLClient(endpoint, { headers });
    expect((await client.request<Posts>(POSTS, { first: 3 })).posts).toHaveLength(3);
  });

  it(cell('graphql-request', 'query by GET'), async () => {
    const client = new GraphQLClient(endpoint, { headers, method: 'GET', jsonSerializer: JSON });
    expect((await client.request<Posts>(POSTS, { first: 2 })).posts).toHaveLength(2);
  });

  it(cell('graphql-request', 'query by GET without a token'), async () => {
    const client = new GraphQLClient(endpoint, { method: 'GET', jsonSerializer: JSON });
    expect(await client.request('query Kind { __schema { queryType { name } } }')).toEqual({
      __schema: { queryType: { name: 'Query' } },
    });
  });

  it(cell('graphql-request', 'mutation'), async () => {
    const client = new GraphQLClient(endpoint, { headers });
    expect(await client.request(ADD_COMMENT, { postId: stage.postId, body: 'Hello' })).toMatchObject({
      addComment: { body: 'Hello' },
    });
  });

  it(cell('graphql-request', 'batch'), async () => {
    const documents = [1, 2].map((first) => ({ document: POSTS, variables: { first } }));
    const results = await batchRequests<[{ data: Posts }, { data: Posts }]>(endpoint, documents, headers);
    expect(results.map(({ data }) => data.posts.length)).toEqual([1, 2]);
  });

  it(cell('graphql-request', 'why a batch is rejected'), async () => {
    const documents = Array.from({ length: 12 }, (_, first) => ({ document: POSTS, variables: { first } }));
    await expect(batchRequests(endpoint, documents, headers)).rejects.toThrow(
      /exceeds the limit \\"batch\\" of 10/,
    );
  });

  it(cell('graphql-request', 'why too large a request is rejected'), async () => {
    const document = 'query Search($text: String!) { search(text: $text) { __typename } }';
    const asked = { document, variables: { text: TOO_LARGE } };
    const single = new GraphQLClient(endpoint, { headers }).request(asked);
    await expect(single).rejects.toThrow(/PAYLOAD_TOO_LARGE/);
    await expect(batchRequests(endpoint, [asked, asked], headers)).rejects.toThrow(/PAYLOAD_TOO_LARGE/);
  });

  it(cell('graphql-request', 'errors'), async () => {
    const failure: unknown = await new GraphQLClient(endpoint, { headers })
      .request(WRONG)
      .catch((error: unknown) => error);
    expect(failure instanceof ClientError && failure.response.errors?.[0]?.extensions).toEqual({
      code: 'GRAPHQL_VALIDATION_FAILED',
    });
  });

  it(cell('graphql-request', '@stream'), async () => {
    const client = new GraphQLClient(endpoint, { headers });
    expect((await client.request<Posts>(STREAMED, { first: 4 })).posts).toHaveLength(4);
  });

  it(cell('graphql-request', 'why @live over plain HTTP is rejected'), async () => {
    await expect(new GraphQLClient(endpoint, { headers }).request(LIVE)).rejects.toThrow(NEEDS_STREAM);
  });
});
