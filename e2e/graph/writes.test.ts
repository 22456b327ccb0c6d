import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf, postGraph, type GraphResponse } from '../harness/ask-graph.ts';
import { startTappedPlatform, type TappedPlatform } from '../harness/tapped-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

type User = 'ada' | 'ed' | 'vi';

let platform: TappedPlatform;
let tokens: TokenBook;
beforeAll(async () => {
  platform = await startTappedPlatform();
  tokens = new TokenBook(platform.addresses.issuer);
});
afterAll(() => platform.close());

async function ask<Data>(who: User, query: string, variables: object = {}): Promise<GraphResponse<Data>> {
  const token = await tokens.of(who);
  return askGraph<Data>(platform.addresses.graph, { query, variables: { ...variables }, token });
}

interface Created {
  readonly createPost: {
    readonly success: boolean;
    readonly post: { readonly id: string; readonly author: { readonly name: string } };
  };
}

async function createPost(who: User, input: object = {}): Promise<string> {
  const query =
    'mutation ($input: CreatePostInput!) { createPost(input: $input) { success post { id author { name } } } }';
  const title = `Written at ${Date.now()} ${Math.random()}`;
  const response = await ask<Created>(who, query, { input: { title, body: 'Words.', ...input } });
  const { createPost: created } = dataOf(response);
  expect(created.success).toBe(true);
  return created.post.id;
}

const comment = (who: User, postId: string) =>
  ask<{
    addComment: { id: string; author: { name: string }; post: { title: string; commentCount: number } };
  }>(
    who,
    'mutation ($postId: ID!) { addComment(postId: $postId, body: "First!") { id author { name } post { title commentCount } } }',
    { postId },
  );
const codesOf = ({ errors = [] }: GraphResponse<unknown>) => errors.map(({ extensions }) => extensions.code);

describe('Writing through the gateway', () => {
  it('takes a comment on a post at once, even a post made a moment ago by another user', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await createPost('ed');
      const { addComment } = dataOf(await comment('vi', id));
      expect(addComment.author.name).toBe('Vi Castellan');
      expect(addComment.post.commentCount).toBe(1);
    }
  });

  it('hides a draft and its comments from a viewer, whichever way they come', async () => {
    const id = await createPost('ed');
    const { addComment } = dataOf(await comment('vi', id));
    dataOf(
      await ask('ed', `mutation { updatePost(id: "${id}", input: { published: false }) { published } }`),
    );
    expect(dataOf(await ask('vi', `{ post(id: "${id}") { comments { id } } }`))).toEqual({ post: null });
    await expect
      .poll(
        async () =>
          (await ask('vi', `mutation { editComment(id: "${addComment.id}", body: "x") { id } }`)).data,
      )
      .toEqual({ editComment: null }); // the comments service has heard of it
    expect(codesOf(await comment('vi', id))).toEqual(['BAD_USER_INPUT']);
    const { post } = dataOf(await ask<{ post: object }>('ada', `{ post(id: "${id}") { comments { id } } }`));
    expect(post).toEqual({ comments: [{ id: addComment.id }] });
  });

  it('deletes the comments with their post', async () => {
    const id = await createPost('ed');
    const { addComment } = dataOf(await comment('vi', id));
    expect(dataOf(await ask('ada', `mutation { deletePost(id: "${id}") }`))).toEqual({ deletePost: true });
    await expect
      .poll(async () => (await ask('ada', `mutation { deleteComment(id: "${addComment.id}") }`)).data)
      .toEqual({ deleteComment: false });
  });

  it('does a mutation once, however often it is retried with an idempotency key', async () => {
    const query = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { success post { id } } }';
    const question = {
      query,
      variables: { input: { title: `Once ${Date.now()}`, body: 'Words.' } },
      token: await tokens.of('ed'),
      headers: { 'idempotency-key': 'retry-1' },
    };
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => askGraph<Created>(platform.addresses.graph, question)),
    );
    const posts = responses.map((response) => dataOf(response).createPost);
    expect(new Set(posts.map(({ post }) => post.id)).size).toBe(1);
    expect(posts.every(({ success }) => success)).toBe(true);
  });

  it('takes the key in the extensions of each operation of a batch, where one header would be for all', async () => {
    const token = await tokens.of('ed');
    const query = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }';
    const operation = (title: string, idempotencyKey: unknown) => ({
      query,
      variables: { input: { title, body: 'Words.' } },
      extensions: { idempotencyKey },
    });
    const at = Date.now();
    const body = [operation(`One ${at}`, `one-${at}`), operation(`Two ${at}`, `two-${at}`)];
    const send = async () =>
      (await (await postGraph(platform.addresses.graph, body, { token })).json()) as GraphResponse<Created>[];
    const first = await send();
    expect(new Set(first.map((response) => dataOf(response).createPost.post.id)).size).toBe(2);
    expect(await send()).toEqual(first);
    const others = [operation(`Three ${at}`, `one-${at}`), operation('T', 'two words'), operation('T', 3)];
    const rejected = await postGraph(platform.addresses.graph, others, { token });
    expect(((await rejected.json()) as GraphResponse<unknown>[]).map(codesOf)).toEqual([
      ['BAD_USER_INPUT'],
      ['BAD_USER_INPUT'],
      ['BAD_USER_INPUT'],
    ]);
  });

  it('asks for the roles and scopes of each mutation', async () => {
    const input = '{ title: "T", body: "B" }';
    expect(codesOf(await ask('vi', `mutation { createPost(input: ${input}) { success } }`))).toEqual([
      'FORBIDDEN',
    ]);
    expect(codesOf(await ask('ed', 'mutation { createUser(input: { name: "N" }) { id } }'))).toEqual([
      'FORBIDDEN',
    ]);
    const made = dataOf(await ask('ada', 'mutation { createUser(input: { name: "Nia" }) { name role } }'));
    expect(made).toEqual({ createUser: { name: 'Nia', role: 'VIEWER' } });
    const anonymous = await askGraph(platform.addresses.graph, {
      query: `mutation { createPost(input: ${input}) { success } }`,
    });
    expect(codesOf(anonymous)).toEqual(['UNAUTHENTICATED']);
  });
});
