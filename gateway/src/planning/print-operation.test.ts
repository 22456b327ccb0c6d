import { afterAll, beforeAll, expect, it } from 'vitest';
import { bookshop } from '../../test-fixtures/graphs/bookshop.ts';
import { plain, startHandGraph, type HandGraph } from '../../test-fixtures/hand-graph.ts';

let graph: HandGraph;
beforeAll(async () => {
  graph = await startHandGraph(bookshop);
});
afterAll(() => graph.close());

it('an operation name of any length is sent on by its first 128 characters', async () => {
  const name = 'N'.repeat(10_000);
  expect(plain(await graph.run(`query ${name} { book(id: "b1") { title price } }`))).toMatchObject({
    data: { book: { title: 'First' } },
  });
  const asked = [...graph.server('books').requests, ...graph.server('stock').requests];
  expect(asked).toHaveLength(2);
  for (const { query } of asked) {
    expect(query).toContain('N'.repeat(128));
    expect(query.length).toBeLessThan(400);
  }
});
