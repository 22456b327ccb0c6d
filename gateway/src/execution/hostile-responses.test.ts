import { gzipSync } from 'node:zlib';
import { latencyBudgetMs } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bookshop } from '../../test-fixtures/graphs/bookshop.ts';
import { plain, startHandGraph, type HandGraph } from '../../test-fixtures/hand-graph.ts';
import { createSubgraphClient } from '../subgraphs/subgraph-client.ts';

let graph: HandGraph;

beforeAll(async () => {
  graph = await startHandGraph(bookshop);
});
afterAll(() => graph.close());
afterEach(() => {
  graph.server('books').intercept(undefined);
  graph.server('stock').intercept(undefined);
});

const text = '{ book(id: "b1") { title price } }';
const siblings = { book: { title: 'First', price: null } };

describe('S-038 hostile JSON', () => {
  it('changes no prototype and answers what was asked for', async () => {
    graph
      .server('stock')
      .respondWith(
        `{"__proto__":{"polluted":1},"data":{"__proto__":{"polluted":1},"_entities":[{"price":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}]},"errors":[{"message":"x","path":["_entities",0,"__proto__","polluted"],"extensions":{"__proto__":{"polluted":1}}},{"message":"y","path":["__proto__","polluted"]}]}`,
      );
    const { data } = await graph.run(text);
    expect(plain({ data })).toEqual({ data: { book: { title: 'First', price: 1 } } });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('changes no prototype within lists either', async () => {
    graph
      .server('books')
      .respondWith(
        '{"data":{"found":[{"__typename":"Author","name":"Ann","__proto__":{"polluted":1}},{"constructor":{"prototype":{"polluted":1}},"__typename":"Author","name":"Bob"}],"__proto__":[1]}}',
      );
    expect(plain(await graph.run('{ found { ... on Author { name } } }'))).toEqual({
      data: { found: [{ name: 'Ann' }, { name: 'Bob' }] },
    });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('takes nothing that was not asked for', async () => {
    graph.server('stock').respondWith('{"data":{"_entities":[{"price":1,"title":"Forged","id":"b9"}]}}');
    expect(plain(await graph.run('{ book(id: "b1") { id title price } }'))).toEqual({
      data: { book: { id: 'b1', title: 'First', price: 1 } },
    });
  });

  it('S-039 a key called then makes no promise of a response', async () => {
    graph.server('stock').respondWith('{"data":{"then":{},"_entities":[{"price":1,"then":"x"}]}}');
    expect(plain(await graph.run(text))).toEqual({ data: { book: { title: 'First', price: 1 } } });
  });
});

describe('Errors beyond those that are reported', () => {
  it('are for the log, inside what another one made null or not', async () => {
    const failed = Array.from({ length: 510 }, (_, index) => ({ message: `No ${index}.` }));
    const inside = [0, 1].map((index) => ({ message: `Null ${index}.`, path: ['books', index, 'pages'] }));
    const data = { books: [{ pages: null }, { pages: null }] };
    graph.server('books').respondWith(JSON.stringify({ data, errors: [...inside, ...failed] }));
    const { errors, unreported } = await graph.run('{ books { pages } }');
    expect([errors?.length, unreported?.length]).toEqual([500, 12]);
    expect(unreported?.at(-1)?.message).toBe('Null 1.');
  });
});

describe('floods', () => {
  it('S-114 of errors are capped', async () => {
    const found = Array.from({ length: 10_000 }, () => null);
    const errors = found.map((_, index) => ({ message: 'No.', path: ['found', index] }));
    graph.server('books').respondWith(JSON.stringify({ data: { found }, errors }));
    const result = await graph.run('{ found { __typename } }');
    expect(result.errors).toHaveLength(500);
    expect(result.data?.['found']).toHaveLength(10_000);
  });

  it('S-115 extensions beyond the known ones stay inside', async () => {
    const extensions = {
      code: 'X',
      stacktrace: ['at secret.ts'],
      exception: { sql: 'SELECT' },
      field: 'price',
    };
    graph
      .server('stock')
      .respondWith(JSON.stringify({ data: null, errors: [{ message: 'No.', extensions }] }));
    const { errors } = await graph.run(text);
    expect(errors?.[0]?.extensions).toEqual({ code: 'X', field: 'price' });
  });

  it('S-112 of bytes end the call at the cap, announced or not', async () => {
    const client = createSubgraphClient({ maxResponseBytes: 10_000 });
    for (const announced of [true, false]) {
      let written = 0;
      graph.server('stock').intercept((_request, response) => {
        response.writeHead(200, announced ? { 'content-length': '1000000000' } : {});
        const timer = setInterval(() => {
          written += 1;
          response.write('x'.repeat(5000));
        }, 1);
        response.on('close', () => clearInterval(timer));
        return true;
      });
      expect(plain(await graph.run(text, { client }))).toMatchObject({
        data: siblings,
        errors: [{ message: 'The subgraph "stock" sent more than 10000 bytes.' }],
      });
      expect(written).toBeLessThan(50);
    }
    await client.close();
  });

  it('S-057 of compressed bytes end at the cap', async () => {
    const client = createSubgraphClient({ maxResponseBytes: 100_000 });
    graph
      .server('stock')
      .respondWith(gzipSync(Buffer.alloc(10_000_000)), 200, { 'content-encoding': 'gzip' });
    expect(plain(await graph.run(text, { client }))).toMatchObject({ data: siblings, errors: [{}] });
    graph
      .server('stock')
      .respondWith(gzipSync('{"data":{"_entities":[{"price":4}]}}'), 200, { 'content-encoding': 'gzip' });
    expect(plain(await graph.run(text, { client }))).toEqual({
      data: { book: { title: 'First', price: 4 } },
    });
    graph.server('stock').respondWith('abc', 200, { 'content-encoding': 'rot13' });
    expect(plain(await graph.run(text, { client }))).toMatchObject({ data: siblings, errors: [{}] });
    await client.close();
  });
});

describe('S-113 time', () => {
  it.each(['silence', 'a drip'])('%s ends at the limit', async (kind) => {
    const client = createSubgraphClient({ timeoutMs: 200 });
    graph.server('stock').intercept((_request, response) => {
      if (kind === 'a drip') {
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      }
      return true;
    });
    const start = performance.now();
    expect(plain(await graph.run(text, { client }))).toMatchObject({
      data: siblings,
      errors: [{ message: 'The subgraph "stock" did not respond within 200 ms.', path: ['book', 'price'] }],
    });
    expect(performance.now() - start).toBeGreaterThan(190);
    expect(performance.now() - start).toBeLessThan(latencyBudgetMs(1000));
    await client.close();
  });

  it.each(['http', 'https'])('what can’t be sent over %s is no fault of the subgraph', async (scheme) => {
    const client = createSubgraphClient();
    const request = {
      subgraph: 'a',
      url: `${scheme}://127.0.0.1:1/`,
      body: '{}',
      headers: { 'x-tenant': 'blue\u010d\u010ax-user-roles: ADMIN' },
      isMutation: false,
      signal: new AbortController().signal,
    };
    await expect(client.send(request)).rejects.toMatchObject({ kind: 'unavailable' });
    await client.close();
  });

  it('S-065 a redirect is not followed', async () => {
    graph.server('stock').respondWith('', 302, { location: graph.server('books').url });
    const before = graph.server('books').requests.length;
    expect(plain(await graph.run(text))).toMatchObject({
      data: siblings,
      errors: [{ message: 'The subgraph "stock" responded with a redirect, which is not followed.' }],
    });
    expect(graph.server('books').requests.length - before).toBe(1);
  });
});
