import { beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import type { demoPeople } from '../harness/demo-people.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';
import { allPosts, type Article } from './content.ts';

const { graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);

/** Ids begin with a time. Posts that other tests write to the platform meanwhile are younger than those of the demo data. */
const YOUNGER = '019b';
const ofDemoData = async (token: string): Promise<readonly Article[]> =>
  (await allPosts(graph, token)).filter(({ id }) => id < YOUNGER);

describe('A post that is not published', () => {
  let drafts: readonly Article[];
  let published: readonly Article[];

  beforeAll(async () => {
    const posts = await ofDemoData(await tokens.of('ada'));
    drafts = posts.filter((post) => !post.published);
    published = posts.filter((post) => post.published);
  });

  it('exists in the demo data', () => {
    expect(drafts.length).toBeGreaterThan(0);
    expect(published.length).toBeGreaterThan(100);
  });

  it('is in the list of editors and administrators, and in no other user’s', async () => {
    const [editors, viewers] = [await tokens.of('ed'), await tokens.of('vi')];
    expect(await ofDemoData(editors)).toEqual(await ofDemoData(await tokens.of('ada')));
    expect(await ofDemoData(viewers)).toEqual(published);
  });

  it('does not exist for a viewer who knows its id', async () => {
    for (const { id } of drafts.slice(0, 3)) {
      expect(await post('vi', id)).toBeNull();
      expect(await post('ed', id)).toMatchObject({ id });
      expect(await post('ada', id)).toMatchObject({ id });
    }
    expect(await post('vi', published[0]?.id ?? '')).toMatchObject({ id: published[0]?.id });
  });

  it('is not among the posts of its author for a viewer, and is for who may see it', async () => {
    const author = drafts[0]?.author.id ?? '';
    const all = await postsOf('ada', author);
    expect(all.some((one) => !one.published)).toBe(true);
    expect(await postsOf('vi', author)).toEqual(all.filter((one) => one.published));
    expect(await postsOf('ed', author)).toEqual(all);
  });

  it('does not shift the pages of who is denied it: they are full to the last', async () => {
    const pages: (readonly Article[])[] = [];
    for (let page = 0; page < 5; page += 1)
      pages.push(await nextPage(pages.at(-1)?.at(-1)?.id ?? published[0]?.id ?? null));
    expect(pages.map((posts) => posts.length)).toEqual([7, 7, 7, 7, 7]);
    expect(pages.flat().map(({ id }) => id)).toEqual(published.slice(1, 36).map(({ id }) => id));
  });

  it('is no place to begin a page for who is denied it, no more than an unknown id', async () => {
    const [draft] = drafts;
    const unknown = '01941f29-7c00-7a00-8000-00000000ffff';
    const responses = await Promise.all(
      [draft?.id, unknown].map(async (after) => {
        const { data, errors } = await askGraph(graph, {
          query: 'query ($after: ID) { posts(first: 3, after: $after) { id } }',
          variables: { after },
          token: await tokens.of('vi'),
        });
        return { kind: data ? 'data' : 'none', codes: errors?.map(({ extensions }) => extensions.code) };
      }),
    );
    expect(responses[0]).toEqual(responses[1]);
  });

  it('does not exist for a caller without a token, whatever path is tried', async () => {
    const [draft] = drafts;
    for (const query of [
      `{ post(id: "${draft?.id}") { id title } }`,
      '{ posts(first: 100) { id } }',
      `{ user(id: "${draft?.author.id}") { posts(first: 100) { id } } }`,
      `{ _entities(representations: [{ __typename: "Post", id: "${draft?.id}" }]) { __typename } }`,
    ]) {
      const response = await askGraph(graph, { query });
      expect(JSON.stringify(response.data ?? null)).not.toContain(draft?.id);
      expect(response.errors).not.toEqual([]);
    }
  });

  async function nextPage(after: string | null): Promise<readonly Article[]> {
    const response = await askGraph<{ posts: Article[] }>(graph, {
      query: 'query ($after: ID) { posts(first: 7, after: $after) { id published } }',
      variables: { after },
      token: await tokens.of('vi'),
    });
    return dataOf(response).posts;
  }

  async function post(name: keyof typeof demoPeople, id: string): Promise<unknown> {
    const response = await askGraph<{ post: unknown }>(graph, {
      query:
        'query ($id: ID!) { post(id: $id) { id title commentCount author { name } comments(limit: 1) { id } } }',
      variables: { id },
      token: await tokens.of(name),
    });
    return dataOf(response).post;
  }

  async function postsOf(
    name: keyof typeof demoPeople,
    id: string,
  ): Promise<readonly { published: boolean }[]> {
    const response = await askGraph<{ user: { posts: { id: string; published: boolean }[] } }>(graph, {
      query: 'query ($id: ID!) { user(id: $id) { posts(first: 100) { id published } } }',
      variables: { id },
      token: await tokens.of(name),
    });
    return dataOf(response).user.posts;
  }
});
