import { describe, expect, it } from 'vitest';
import { askGraph, postGraph } from '../harness/ask-graph.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

const { graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);

describe('Cache-Control of the content graph', () => {
  it.each([
    ['{ posts(first: 1) { title } }', 'private, max-age=30'],
    ['{ posts(first: 1) { title commentCount } }', 'private, max-age=5'],
    ['{ posts(first: 1) { comments(limit: 1) { body } } }', 'private, max-age=5'],
    ['{ posts(first: 1) { author { name } } }', 'private, max-age=30'],
    ['{ me { name } }', 'no-store'],
    ['{ onlineUsers { id } }', 'no-store'],
    ['{ search(query: "graph") { ... on Post { title } } }', 'no-store'],
    ['{ posts(first: 101) { title } }', 'no-store'],
  ])('of %s is %s', async (query, expected) => {
    const response = await askGraph(graph, { query, token: await tokens.of('vi') });
    expect(response.headers.get('cache-control')).toBe(expected);
  });

  it('S-094 of a batch is the strictest, and no cache stores what was rejected', async () => {
    const queries = ['{ posts(first: 1) { title } }', '{ posts(first: 1) { commentCount } }'];
    const body = queries.map((query) => ({ query }));
    const batch = await postGraph(graph, body, { token: await tokens.of('vi') });
    expect(batch.headers.get('cache-control')).toBe('private, max-age=5');
    const rejected = await postGraph(graph, body);
    expect(rejected.headers.get('cache-control')).toBe('no-store');
  });
});
