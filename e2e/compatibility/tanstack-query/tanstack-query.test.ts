import { InfiniteQueryObserver, MutationObserver, QueryClient } from '@tanstack/query-core';
import { request } from 'graphql-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cell } from '../cell.ts';
import {
  ADD_COMMENT,
  authorization,
  endpoint,
  openStage,
  POSTS,
  until,
  WRONG,
  type Stage,
} from '../scene.ts';

interface Posts {
  readonly posts: readonly { readonly id: string }[];
}
const PAGE = 'query Page($first: Int!, $after: ID) { posts(first: $first, after: $after) { id } }';

describe('TanStack Query', () => {
  let stage: Stage;
  let headers: Record<string, string>;
  const client = new QueryClient();

  beforeAll(async () => {
    [stage, headers] = await Promise.all([
      openStage(),
      authorization().then((value) => ({ authorization: value })),
    ]);
  });
  afterAll(async () => {
    client.clear();
    await stage.remove();
  });

  it(cell('TanStack Query', 'query'), async () => {
    const queryFn = (): Promise<Posts> => request(endpoint, POSTS, { first: 3 }, headers);
    const { posts } = await client.fetchQuery({ queryKey: ['posts'], queryFn });
    expect(posts).toHaveLength(3);
    expect(client.getQueryData<Posts>(['posts'])?.posts).toEqual(posts);
  });

  it(cell('TanStack Query', 'pages'), async () => {
    const observer = new InfiniteQueryObserver(client, {
      queryKey: ['pages'],
      queryFn: ({ pageParam }): Promise<Posts> =>
        request(endpoint, PAGE, { first: 2, after: pageParam }, headers),
      initialPageParam: null as string | null,
      getNextPageParam: ({ posts }: Posts) => posts.at(-1)?.id,
    });
    const unsubscribe = observer.subscribe(() => undefined);
    await until(() => observer.getCurrentResult().isSuccess, 'the first page has come');
    await observer.fetchNextPage();
    const ids = observer.getCurrentResult().data?.pages.flatMap(({ posts }) => posts.map(({ id }) => id));
    expect(new Set(ids).size).toBe(4);
    unsubscribe();
  });

  it(cell('TanStack Query', 'mutation'), async () => {
    const observer = new MutationObserver(client, {
      mutationFn: (body: string) => request(endpoint, ADD_COMMENT, { postId: stage.postId, body }, headers),
    });
    expect(await observer.mutate('Hello')).toMatchObject({ addComment: { body: 'Hello' } });
  });

  it(cell('TanStack Query', 'errors'), async () => {
    const queryFn = (): Promise<unknown> => request(endpoint, WRONG, {}, headers);
    await expect(client.fetchQuery({ queryKey: ['wrong'], queryFn })).rejects.toThrow(
      /Cannot query field "noSuchField"/,
    );
  });
});
