import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bookshop } from '../../test-fixtures/graphs/bookshop.ts';
import { plain, startHandGraph, type HandGraph } from '../../test-fixtures/hand-graph.ts';

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
    graph.server('stock').respondWith(body, status);
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
    graph
      .server('stock')
      .respondWith('{"errors": [{"message": "Down for the night.", "extensions": {"code": "NIGHT"}}]}', 503);
    expect(plain(await graph.run(text))).toEqual({
      data: siblings,
      errors: [{ message: 'Down for the night.', path: ['book', 'price'], code: 'NIGHT' }],
    });
  });

  it('an error without details for clients names the subgraph for the log', async () => {
    graph.server('stock').respondWith('{"errors": [{"message": "No route to the database."}]}');
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
    graph.server('stock').respondWith(`{"data":{"_entities":[${entity}]}}`);
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
    graph
      .server('books')
      .respondWith('{"data":{"found":[{"__typename":"Ghost"},{"__typename":"Author","name":"Ann"},{}]}}');
    expect(plain(await graph.run('{ found { ... on Author { name } } }'))).toMatchObject({
      data: { found: [null, { name: 'Ann' }, null] },
      errors: [{ path: ['found', 0] }, { path: ['found', 2] }],
    });
  });

  it.each([
    ['{"message": "No price."}', 'No price.'],
    ['"bad"', 'A subgraph reported an error without a message.'],
  ])('errors beside data that are no list are reported all the same: %s', async (sent, message) => {
    graph.server('books').respondWith(`{"data": {"books": [{"pages": 1}]}, "errors": ${sent}}`);
    const { data, errors } = await graph.run('{ books { pages } }');
    expect([data, errors?.map((error) => error.message)]).toEqual([{ books: [{ pages: 1 }] }, [message]]);
  });

  it('an object for a list, and a list for an object, are errors at the field', async () => {
    graph.server('books').respondWith('{"data":{"found":{},"maybe":[]}}');
    expect(plain(await graph.run('{ found { __typename } maybe { title } }'))).toMatchObject({
      data: { found: null, maybe: null },
      errors: [{ path: ['found'] }, { path: ['maybe'] }],
    });
  });

  it('an ID that came as a number becomes a string', async () => {
    graph.server('books').respondWith('{"data":{"maybe":{"id":7}}}');
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
    graph.server('stock').respondWith(
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
    graph.server('books').respondWith(
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
    graph.server('books').respondWith(
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
    graph
      .server('books')
      .respondWith(JSON.stringify({ data, errors: [{ message: reported.message, path }] }));
    expect(plain(await graph.run('{ book(id: "b1") { title related { title } } }'))).toEqual({
      data,
      errors: [reported],
    });
  });

  it('in what is asked of entities, either', async () => {
    graph.server('stock').respondWith(
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
    graph
      .server('books')
      .respondWith(JSON.stringify({ data: { books: [{ pages: null }, { pages: null }] }, errors: failed }));
    const { data, errors, unreported } = await graph.run('{ books { pages } }');
    expect([data, errors?.map(({ message }) => message), unreported?.map(({ message }) => message)]).toEqual([
      null,
      ['No 0.'],
      ['No 1.'],
    ]);
  });
});
