import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bookshop } from '../../test-fixtures/graphs/bookshop.ts';
import { plain, startHandGraph, type HandGraph } from '../../test-fixtures/hand-graph.ts';

let graph: HandGraph;

beforeAll(async () => {
  graph = await startHandGraph(bookshop);
});
afterAll(() => graph.close());
afterEach(() => {
  for (const name of ['books', 'stock']) {
    graph.server(name).requests.length = 0;
    graph.server(name).intercept(undefined);
  }
});

describe('an operation over several subgraphs', () => {
  it('joins what each subgraph knows of an entity', async () => {
    expect(plain(await graph.run('{ book(id: "b2") { title count label } }'))).toEqual({
      data: { book: { title: 'Second', count: 2, label: 'b2: Second' } },
    });
  });

  it('asks for an entity once, however often it occurs in the response', async () => {
    await graph.run('{ books { count } }');
    const [request, ...more] = graph.server('stock').requests;
    expect(more).toEqual([]);
    expect(request?.variables['representations']).toEqual([
      { __typename: 'Book', id: 'b1' },
      { __typename: 'Book', id: 'b2' },
    ]);
  });

  it('asks no subgraph about objects that do not exist', async () => {
    expect(plain(await graph.run('{ maybe { count } book(id: "none") { count } }'))).toEqual({
      data: { maybe: null, book: null },
    });
    expect(graph.server('stock').requests).toEqual([]);
  });

  it('sends a required field that is null as null', async () => {
    expect(plain(await graph.run('{ book(id: "b3") { label } }'))).toEqual({
      data: { book: { label: 'b3: untitled' } },
    });
  });

  it('runs mutations in the order of the operation, across subgraphs', async () => {
    const order: string[] = [];
    for (const name of ['books', 'stock']) {
      graph.server(name).intercept(async ({ query }) => {
        if (query.startsWith('mutation')) order.push(/\{(?:(\w+):)?/.exec(query.slice(8))?.[1] ?? '');
        await new Promise((resolve) => {
          setTimeout(resolve, name === 'books' ? 30 : 1);
        });
        return false;
      });
    }
    await graph.run(
      'mutation { one: rename(id: "b1", title: "x") { id } two: order(id: "b1") { id } three: touch(id: "b2") }',
    );
    expect(order).toEqual(['one', 'two', 'three']);
  });

  it('runs mutations in their order though fragments of one type stand around others', async () => {
    const order: string[] = [];
    for (const name of ['books', 'stock']) {
      graph.server(name).intercept(({ query }) => {
        order.push(...(query.match(/\b(?:one|two|three)(?=:)/g) ?? []));
        return false;
      });
    }
    await graph.run(
      `mutation { ...First two: order(id: "b1") { id } ... on Mutation { three: rename(id: "b2", title: "y") { id } } }
       fragment First on Mutation { one: rename(id: "b1", title: "x") { id } }`,
    );
    expect(order).toEqual(['one', 'two', 'three']);
  });

  it('answers introspection itself, beside fields of subgraphs', async () => {
    const { data } = await graph.run(
      'query ($name: String!) { __typename type: __type(name: $name) { ...N } book(id: "b1") { kind: __typename } } fragment N on __Type { name }',
      { variables: { name: 'Size' } },
    );
    expect(plain({ data })).toEqual({
      data: { __typename: 'Query', type: { name: 'Size' }, book: { kind: 'Book' } },
    });
    expect(graph.server('books').requests).toHaveLength(1);
  });

  it('asks no subgraph for introspection alone', async () => {
    const { data } = await graph.run('{ __schema { queryType { name } } }');
    expect(plain({ data })).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
    expect(graph.server('books').requests).toEqual([]);
  });

  it('runs the operation that is named', async () => {
    const text = 'query A { book(id: "b1") { title } } query B { book(id: "b2") { title } }';
    expect(plain(await graph.run(text, { operationName: 'B' }))).toEqual({
      data: { book: { title: 'Second' } },
    });
  });

  it('sends a subgraph the headers that are for it', async () => {
    await graph.run('{ book(id: "b1") { title count } }', { headersFor: (name) => ({ 'x-for': name }) });
    expect(graph.server('books').requests[0]?.headers['x-for']).toBe('books');
    expect(graph.server('stock').requests[0]?.headers['x-for']).toBe('stock');
  });
});

describe('conditions', () => {
  const text =
    'query ($with: Boolean!) { book(id: "b1") { title count @include(if: $with) author @skip(if: $with) { name } } }';

  it('are decided by their variables', async () => {
    expect(plain(await graph.run(text, { variables: { with: true } }))).toEqual({
      data: { book: { title: 'First', count: 1 } },
    });
    expect(plain(await graph.run(text, { variables: { with: false } }))).toEqual({
      data: { book: { title: 'First', author: { name: 'Ann' } } },
    });
  });

  it('may exclude everything below a field, which is an empty object then', async () => {
    expect(plain(await graph.run('{ book(id: "b1") { count @skip(if: true) } }'))).toEqual({
      data: { book: {} },
    });
    expect(plain(await graph.run('{ book(id: "none") { count @skip(if: true) } }'))).toEqual({
      data: { book: null },
    });
  });

  it('may exclude everything', async () => {
    expect(plain(await graph.run('{ book(id: "b1") @skip(if: true) { title } }'))).toEqual({ data: {} });
    expect(graph.server('books').requests).toEqual([]);
  });
});

describe('S-037 response keys', () => {
  it.each([
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    '_entities',
    '__typename',
    'id',
  ])('%s is a key like any other', async (key) => {
    const { data, errors } = await graph.run(
      `{ ${key}: book(id: "b1") { ${key}: title other: count } second: book(id: "b2") { label } }`,
    );
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).toBe(
      `{"${key}":{"${key}":"First","other":1},"second":{"label":"b2: Second"}}`,
    );
    expect(({} as Record<string, unknown>)['other']).toBeUndefined();
  });

  it('variables may have such names', async () => {
    const text =
      'query ($__proto__: ID!, $representations: ID!) { a: book(id: $__proto__) { count } b: book(id: $representations) { count } }';
    const variables = JSON.parse('{"__proto__": "b1", "representations": "b2"}') as Record<string, unknown>;
    const { data } = await graph.run(text, { variables });
    expect(plain({ data })).toEqual({ data: { a: { count: 1 }, b: { count: 2 } } });
  });
});

describe('denied fields', () => {
  const denial = { code: 'FORBIDDEN', message: 'No.' };

  it('are null with an error at every place, and no subgraph is asked for them', async () => {
    expect(plain(await graph.run('{ books { title label } }', { denied: { label: denial } }))).toEqual({
      data: {
        books: [
          { title: 'First', label: null },
          { title: 'Second', label: null },
          { title: 'First', label: null },
        ],
      },
      errors: [0, 1, 2].map((index) => ({
        message: 'No.',
        path: ['books', index, 'label'],
        code: 'FORBIDDEN',
      })),
    });
    expect(graph.server('stock').requests).toEqual([]);
  });

  it('propagate null where they can not be null', async () => {
    expect(
      plain(await graph.run('{ book(id: "b1") { title count } }', { denied: { count: denial } })),
    ).toEqual({
      data: { book: null },
      errors: [{ message: 'No.', path: ['book', 'count'], code: 'FORBIDDEN' }],
    });
  });

  it('leave an object that has no other field', async () => {
    expect(
      plain(await graph.run('{ book(id: "b1") { label } }', { denied: { label: denial } })),
    ).toMatchObject({
      data: { book: { label: null } },
    });
  });

  it('at the root ask no subgraph', async () => {
    expect(plain(await graph.run('{ maybe { title } }', { denied: { maybe: denial } }))).toEqual({
      data: { maybe: null },
      errors: [{ message: 'No.', path: ['maybe'], code: 'FORBIDDEN' }],
    });
    expect(graph.server('books').requests).toEqual([]);
  });
});

describe('abort', () => {
  it('ends the calls in flight and rejects with its reason', async () => {
    const controller = new AbortController();
    let closed: Promise<void> | undefined;
    graph.server('books').intercept((_request, response) => {
      closed = new Promise((resolve) => {
        response.on('close', () => resolve());
      });
      controller.abort(new Error('gone'));
      return true;
    });
    await expect(graph.run('{ books { title } }', { signal: controller.signal })).rejects.toThrow('gone');
    await closed; // the subgraph sees the socket close
  });
});
