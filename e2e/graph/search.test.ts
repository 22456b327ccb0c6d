import { describe, expect, it, vi } from 'vitest';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

const { graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);

interface Found {
  readonly __typename: string;
  readonly name?: string;
  readonly title?: string;
  readonly published?: boolean;
  readonly body?: string;
}

const SEARCH = `query ($query: String! = "", $text: String, $first: Int) {
  search(query: $query, text: $text, first: $first) {
    __typename
    ... on User { name }
    ... on Post { title published author { name } }
    ... on Comment { body createdAt author { name } }
    ... on TextComment { edited }
  }
}`;

async function search(variables: Readonly<Record<string, unknown>>): Promise<readonly Found[]> {
  const token = await tokens.of('vi');
  return dataOf(await askGraph<{ search: Found[] }>(graph, { query: SEARCH, variables, token })).search;
}

/** The index reads the demo content after the start, in its own time. */
const eventually = <Value>(read: () => Promise<Value>): Promise<Value> =>
  vi.waitFor(read, { timeout: 90_000, interval: 100 });

async function aTitle(): Promise<string> {
  const token = await tokens.of('vi');
  const query = '{ posts(first: 1) { title } }';
  const { posts } = dataOf(await askGraph<{ posts: { title: string }[] }>(graph, { query, token }));
  return posts[0]?.title ?? '';
}

describe('Query.search', () => {
  it('finds a post by its title, resolved by its owner, and spells its argument either way', async () => {
    const title = await aTitle();
    const found = await eventually(async () => {
      const hits = await search({ query: `"${title}"` });
      expect(hits.map((hit) => hit.title)).toContain(title);
      return hits;
    });
    expect(found).toContainEqual(expect.objectContaining({ __typename: 'Post', published: true }));
    expect(await search({ text: `"${title}"` })).toEqual(found);
  });

  it('finds users by name, and comments through their interface', async () => {
    await eventually(async () =>
      expect((await search({ query: 'marlow' })).map(({ name }) => name)).toContain('Ada Marlow'),
    );
    const comments = await eventually(async () => {
      const hits = (await search({ query: '"saved for the weekend"', first: 100 })).filter(
        ({ __typename }) => __typename === 'TextComment',
      );
      expect(hits.length).toBeGreaterThan(0);
      return hits;
    });
    for (const hit of comments)
      expect(hit).toMatchObject({
        body: expect.any(String),
        createdAt: expect.any(String),
        edited: expect.any(Boolean),
      });
  });

  it('asks for exactly one of the two spellings', async () => {
    const token = await tokens.of('vi');
    for (const variables of [{}, { query: 'a', text: 'b' }]) {
      const { errors } = await askGraph(graph, { query: SEARCH, variables, token });
      expect(errors?.map(({ extensions }) => extensions?.['code'])).toEqual(['BAD_USER_INPUT']);
    }
  });

  it('needs a token', async () => {
    const { data, errors } = await askGraph(graph, { query: SEARCH, variables: { query: 'a' } });
    expect([data, errors?.[0]?.extensions?.['code']]).toEqual([null, 'UNAUTHENTICATED']);
  });
});
