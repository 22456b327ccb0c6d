import type { ServerResponse } from 'node:http';
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

function answer(
  subgraph: string,
  body: string | Buffer,
  status = 200,
  headers: Record<string, string> = {},
): void {
  graph.server(subgraph).intercept((_request, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
    return true;
  });
}

const text = '{ book(id: "b1") { title price } }';
const siblings = { book: { title: 'First', price: null } };

describe('S-110 a response that is none', () => {
  it.each([
    ['status 500 with HTML', '<html>oops</html>', 500],
    ['invalid JSON', '{"data": {', 200],
    ['an empty body', '', 200],
    ['no content', '', 204],
    ['a JSON list', '[]', 200],
    ['null', 'null', 200],
    ['no data and no errors', '{}', 200],
    ['null data and no errors', '{"data": null}', 200],
    ['no errors in errors', '{"data": null, "errors": []}', 200],
    ['errors that are no list', '{"data": null, "errors": "bad"}', 200],
  ])('%s fails the fields of that subgraph alone', async (_name, body, status) => {
    answer('stock', body, status);
    expect(plain(await graph.run(text))).toEqual({
      data: siblings,
      errors: [
        {
          message: 'The subgraph "stock" gave no GraphQL response.',
          path: ['book', 'price'],
          code: 'INTERNAL_SERVER_ERROR',
        },
      ],
    });
  });

  it('an error without data is reported at the fields that were asked for', async () => {
    answer('stock', '{"errors": [{"message": "Down for the night.", "extensions": {"code": "NIGHT"}}]}', 503);
    expect(plain(await graph.run(text))).toEqual({
      data: siblings,
      errors: [{ message: 'Down for the night.', path: ['book', 'price'], code: 'NIGHT' }],
    });
  });

  it('an error without details for clients names the subgraph for the log', async () => {
    answer('stock', '{"errors": [{"message": "No route to the database."}]}');
    const { errors } = await graph.run(text);
    const [cause] = (errors ?? []).map(({ originalError }) => originalError);
    expect(cause).toMatchObject({ subgraph: 'stock', message: 'No route to the database.' });
    expect(cause?.stack).toBe('SubgraphError: The subgraph "stock" answered: No route to the database.');
  });

  it('a socket that is closed fails those fields alone', async () => {
    graph.server('stock').intercept((_request, response) => {
      response.destroy();
      return true;
    });
    expect(plain(await graph.run(text))).toMatchObject({
      data: siblings,
      errors: [{ path: ['book', 'price'], code: 'INTERNAL_SERVER_ERROR' }],
    });
  });

  it('a body that is cut short fails those fields alone', async () => {
    graph.server('stock').intercept((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"data":');
      setTimeout(() => response.destroy(), 10);
      return true;
    });
    expect(plain(await graph.run(text))).toMatchObject({
      data: siblings,
      errors: [{ path: ['book', 'price'] }],
    });
  });
});

describe('S-111 values that are none of their type', () => {
  const run = async (entity: string, query = text): Promise<unknown> => {
    answer('stock', `{"data":{"_entities":[${entity}]}}`);
    return plain(await graph.run(query));
  };

  it.each([
    ['a string for a Float', '{"price":"1.5"}'],
    ['a list for a Float', '{"price":[1]}'],
    ['an object for a Float', '{"price":{"a":1}}'],
    ['a boolean for a Float', '{"price":true}'],
  ])('%s is an error at the field', async (_name, entity) => {
    expect(await run(entity)).toEqual({
      data: siblings,
      errors: [
        {
          message: 'Expected a value of type Float for the field Book.price.',
          path: ['book', 'price'],
          code: 'INTERNAL_SERVER_ERROR',
        },
      ],
    });
  });

  it('a field that was asked for and not answered is an error, not a silent null', async () => {
    expect(await run('{"other":1}')).toEqual({
      data: siblings,
      errors: [
        {
          message: 'No subgraph answered the field Book.price.',
          path: ['book', 'price'],
          code: 'INTERNAL_SERVER_ERROR',
        },
      ],
    });
  });

  it('null where none may be is an error that propagates', async () => {
    expect(await run('{"count":null}', '{ book(id: "b1") { title count } }')).toEqual({
      data: { book: null },
      errors: [
        {
          message: 'Cannot return null for non-nullable field Book.count.',
          path: ['book', 'count'],
          code: 'INTERNAL_SERVER_ERROR',
        },
      ],
    });
  });

  it.each([
    ['too many entities', '{"price":1},{"price":2}'],
    ['too few entities', ''],
    ['an entity that is no object', '7'],
    ['an entity of another type', '{"__typename":"Author","price":1}'],
  ])('%s fails the fields of that subgraph alone', async (_name, entities) => {
    expect(await run(entities)).toMatchObject({
      data: siblings,
      errors: [{ path: ['book', 'price'], code: 'INTERNAL_SERVER_ERROR' }],
    });
  });

  it('an entity that is not known there has null fields', async () => {
    expect(await run('null')).toEqual({ data: siblings });
  });

  it('an unknown type in a union is an error at that element', async () => {
    answer('books', '{"data":{"found":[{"__typename":"Ghost"},{"__typename":"Author","name":"Ann"},{}]}}');
    expect(plain(await graph.run('{ found { ... on Author { name } } }'))).toMatchObject({
      data: { found: [null, { name: 'Ann' }, null] },
      errors: [{ path: ['found', 0] }, { path: ['found', 2] }],
    });
  });

  it.each([
    ['{"message": "No price."}', 'No price.'],
    ['"bad"', 'A subgraph reported an error without a message.'],
  ])('errors beside data that are no list are reported all the same: %s', async (sent, message) => {
    answer('books', `{"data": {"books": [{"pages": 1}]}, "errors": ${sent}}`);
    const { data, errors } = await graph.run('{ books { pages } }');
    expect([data, errors?.map((error) => error.message)]).toEqual([{ books: [{ pages: 1 }] }, [message]]);
  });

  it('an object for a list, and a list for an object, are errors at the field', async () => {
    answer('books', '{"data":{"found":{},"maybe":[]}}');
    expect(plain(await graph.run('{ found { __typename } maybe { title } }'))).toMatchObject({
      data: { found: null, maybe: null },
      errors: [{ path: ['found'] }, { path: ['maybe'] }],
    });
  });

  it('an ID that came as a number becomes a string', async () => {
    answer('books', '{"data":{"maybe":{"id":7}}}');
    expect(plain(await graph.run('{ maybe { id } }'))).toEqual({ data: { maybe: { id: '7' } } });
  });
});

describe('error paths', () => {
  it('are those of the response: keys that subgraphs know by another name', async () => {
    graph.server('stock').intercept(({ query }, response) => {
      const key = /(\w+):price/.exec(query)?.[1] ?? '';
      expect(key).not.toBe('title'); // the requirement of label is read from there
      const failed = { message: 'No price.', path: ['_entities', 1, key] };
      response.end(
        JSON.stringify({ data: { _entities: [{ [key]: 1 }, { [key]: null }] }, errors: [failed] }),
      );
      return true;
    });
    expect(plain(await graph.run('{ all: books { name: title title: price } }'))).toEqual({
      data: {
        all: [
          { name: 'First', title: 1 },
          { name: 'Second', title: null },
          { name: 'First', title: 1 },
        ],
      },
      errors: [{ message: 'No price.', path: ['all', 1, 'title'], code: 'INTERNAL_SERVER_ERROR' }],
    });
  });

  it('are those of the response: aliases, lists, unions', async () => {
    answer(
      'stock',
      JSON.stringify({
        data: { _entities: [{ cost: null }] },
        errors: [
          { message: 'No price.', path: ['_entities', 0, 'cost'], locations: [{ line: 9, column: 9 }] },
        ],
      }),
    );
    const { errors } = await graph.run('{ hits: found { ... on Book { cost: price } } }');
    expect(errors?.[0]).toMatchObject({ message: 'No price.', path: ['hits', 1, 'cost'] });
    expect(errors?.[0]?.locations).toEqual([{ line: 1, column: 31 }]);
  });

  it('reach below the null that the error made', async () => {
    answer(
      'books',
      JSON.stringify({
        data: { m: null },
        errors: [{ message: 'No width.', path: ['m', 's', 'w'] }],
      }),
    );
    expect(plain(await graph.run('{ m: maybe { s: size { w: width } } }'))).toEqual({
      data: { m: null },
      errors: [{ message: 'No width.', path: ['m', 's', 'w'], code: 'INTERNAL_SERVER_ERROR' }],
    });
  });

  it('of a failed requirement are those of the fields that need it; the others are answered', async () => {
    answer(
      'books',
      JSON.stringify({
        data: { maybe: { __typename: 'Book', id: 'b2', title: null } },
        errors: [{ message: 'No title.', path: ['maybe', 'title'] }],
      }),
    );
    expect(plain(await graph.run('{ maybe { count label } }'))).toEqual({
      data: { maybe: { count: 2, label: null } },
      errors: [{ message: 'No title.', path: ['maybe', 'label'], code: 'INTERNAL_SERVER_ERROR' }],
    });
  });
});

describe('An error of a subgraph is never lost', () => {
  const reported = { message: 'Half of it is gone.', code: 'INTERNAL_SERVER_ERROR' };

  it.each([
    ['a field that was not asked for', ['book', 'unknown']],
    ['a field below it', ['book', 'unknown', 3, 'deeper']],
    ['another root field', ['nothing', 'here']],
    ['an index beyond the list', ['book', 'related', 99, 'title']],
    ['a field below a plain value', ['book', 'title', 'x']],
    ['a prototype', ['book', '__proto__', 'x']],
    ['no path', undefined],
  ])('whose path leads to %s', async (_name, path) => {
    const data = { book: { title: 'First', related: [{ title: 'Second' }] } };
    answer('books', JSON.stringify({ data, errors: [{ message: reported.message, path }] }));
    expect(plain(await graph.run('{ book(id: "b1") { title related { title } } }'))).toEqual({
      data,
      errors: [reported],
    });
  });

  it('in what is asked of entities, either', async () => {
    answer(
      'stock',
      JSON.stringify({
        data: { _entities: [{ price: 1.5 }] },
        errors: [{ message: reported.message, path: ['_entities', 0, 'unknown'] }],
      }),
    );
    expect(plain(await graph.run(text))).toEqual({
      data: { book: { title: 'First', price: 1.5 } },
      errors: [reported],
    });
  });

  it('but is for the log alone inside what another one made null', async () => {
    const failed = [0, 1].map((index) => ({ message: `No ${index}.`, path: ['books', index, 'pages'] }));
    answer('books', JSON.stringify({ data: { books: [{ pages: null }, { pages: null }] }, errors: failed }));
    const { data, errors, untold } = await graph.run('{ books { pages } }');
    expect([data, errors?.map(({ message }) => message), untold?.map(({ message }) => message)]).toEqual([
      null,
      ['No 0.'],
      ['No 1.'],
    ]);
  });
});

describe('Errors beyond those that are reported', () => {
  it('are for the log, inside what another one made null or not', async () => {
    const failed = Array.from({ length: 510 }, (_, index) => ({ message: `No ${index}.` }));
    const inside = [0, 1].map((index) => ({ message: `Null ${index}.`, path: ['books', index, 'pages'] }));
    const data = { books: [{ pages: null }, { pages: null }] };
    answer('books', JSON.stringify({ data, errors: [...inside, ...failed] }));
    const { errors, untold } = await graph.run('{ books { pages } }');
    expect([errors?.length, untold?.length]).toEqual([500, 12]);
    expect(untold?.at(-1)?.message).toBe('Null 1.');
  });
});

describe('S-038 hostile JSON', () => {
  it('changes no prototype and answers what was asked for', async () => {
    answer(
      'stock',
      `{"__proto__":{"polluted":1},"data":{"__proto__":{"polluted":1},"_entities":[{"price":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}]},"errors":[{"message":"x","path":["_entities",0,"__proto__","polluted"],"extensions":{"__proto__":{"polluted":1}}},{"message":"y","path":["__proto__","polluted"]}]}`,
    );
    const { data } = await graph.run(text);
    expect(plain({ data })).toEqual({ data: { book: { title: 'First', price: 1 } } });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('changes no prototype within lists either', async () => {
    answer(
      'books',
      '{"data":{"found":[{"__typename":"Author","name":"Ann","__proto__":{"polluted":1}},{"constructor":{"prototype":{"polluted":1}},"__typename":"Author","name":"Bob"}],"__proto__":[1]}}',
    );
    expect(plain(await graph.run('{ found { ... on Author { name } } }'))).toEqual({
      data: { found: [{ name: 'Ann' }, { name: 'Bob' }] },
    });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('takes nothing that was not asked for', async () => {
    answer('stock', '{"data":{"_entities":[{"price":1,"title":"Forged","id":"b9"}]}}');
    expect(plain(await graph.run('{ book(id: "b1") { id title price } }'))).toEqual({
      data: { book: { id: 'b1', title: 'First', price: 1 } },
    });
  });

  it('S-039 a key called then makes no promise of a response', async () => {
    answer('stock', '{"data":{"then":{},"_entities":[{"price":1,"then":"x"}]}}');
    expect(plain(await graph.run(text))).toEqual({ data: { book: { title: 'First', price: 1 } } });
  });
});

describe('floods', () => {
  it('S-114 of errors are capped', async () => {
    const found = Array.from({ length: 10_000 }, () => null);
    const errors = found.map((_, index) => ({ message: 'No.', path: ['found', index] }));
    answer('books', JSON.stringify({ data: { found }, errors }));
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
    answer('stock', JSON.stringify({ data: null, errors: [{ message: 'No.', extensions }] }));
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
        errors: [{ message: 'The subgraph "stock" answered more than 10000 bytes.' }],
      });
      expect(written).toBeLessThan(50);
    }
    await client.close();
  });

  it('S-057 of compressed bytes end at the cap', async () => {
    const client = createSubgraphClient({ maxResponseBytes: 100_000 });
    answer('stock', gzipSync(Buffer.alloc(10_000_000)), 200, { 'content-encoding': 'gzip' });
    expect(plain(await graph.run(text, { client }))).toMatchObject({ data: siblings, errors: [{}] });
    answer('stock', gzipSync('{"data":{"_entities":[{"price":4}]}}'), 200, { 'content-encoding': 'gzip' });
    expect(plain(await graph.run(text, { client }))).toEqual({
      data: { book: { title: 'First', price: 4 } },
    });
    answer('stock', 'abc', 200, { 'content-encoding': 'rot13' });
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
      errors: [{ message: 'The subgraph "stock" did not answer within 200 ms.', path: ['book', 'price'] }],
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
    answer('stock', '', 302, { location: graph.server('books').url });
    const before = graph.server('books').requests.length;
    expect(plain(await graph.run(text))).toMatchObject({
      data: siblings,
      errors: [{ message: 'The subgraph "stock" answered with a redirect, which is not followed.' }],
    });
    expect(graph.server('books').requests.length - before).toBe(1);
  });
});
