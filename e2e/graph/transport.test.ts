import { describe, expect, it } from 'vitest';
import { askGraph, GRAPHQL_RESPONSE, postGraph, type GraphResult } from '../harness/ask-graph.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

const { graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);
const preflight = { 'apollo-require-preflight': 'true' };

type Result = GraphResult<Readonly<Record<string, unknown>>>;

describe('Media types and status codes (GraphQL over HTTP)', () => {
  const requests: readonly (readonly [string, unknown, number, number, string])[] = [
    ['a body that is not a request', 'text', 400, 400, 'BAD_REQUEST'],
    ['a request without a query', {}, 400, 400, 'BAD_REQUEST'],
    ['variables that are no object', { query: '{ __typename }', variables: [] }, 400, 400, 'BAD_REQUEST'],
    ['a syntax error', { query: '{ users { ' }, 200, 400, 'GRAPHQL_PARSE_ERROR'],
    ['an empty query', { query: '' }, 400, 400, 'BAD_REQUEST'],
    ['an unknown field', { query: '{ nothing }' }, 200, 400, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'an unknown operation name',
      { query: 'query A { __typename }', operationName: 'B' },
      200,
      400,
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'two operations and no name',
      { query: 'query A { __typename } query B { __typename }' },
      200,
      400,
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'a variable of the wrong type',
      { query: 'query ($n: Int) { users(limit: $n) { id } }', variables: { n: 'x' } },
      200,
      400,
      'BAD_USER_INPUT',
    ],
    ['no token', { query: '{ users { id } }' }, 200, 401, 'UNAUTHENTICATED'],
  ];

  it.each(requests)('answer %s', async (_what, body, jsonStatus, graphqlStatus, code) => {
    for (const [accept, status] of [
      ['application/json', jsonStatus],
      [GRAPHQL_RESPONSE, graphqlStatus],
    ] as const) {
      const response = await postGraph(graph, body, { accept });
      expect([accept, response.status]).toEqual([accept, status]);
      expect(response.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
      const { data, errors } = (await response.json()) as Result;
      expect(data ?? null).toBeNull();
      expect(errors?.[0]).toMatchObject({ message: expect.any(String) as string, extensions: { code } });
      expect(errors?.[0]?.extensions).not.toHaveProperty('exception');
    }
  });

  it('follow what the client accepts, application/json where it does not say', async () => {
    for (const [accept, type] of [
      ['*/*', 'application/json'],
      ['application/*', 'application/json'],
      [`${GRAPHQL_RESPONSE}, application/json;q=0.9`, GRAPHQL_RESPONSE],
      [`${GRAPHQL_RESPONSE};q=0.5, application/json`, 'application/json'],
    ] as const) {
      const response = await postGraph(graph, { query: '{ __typename }' }, { accept });
      expect([accept, response.headers.get('content-type')]).toEqual([accept, `${type}; charset=utf-8`]);
      expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
    }
    expect((await postGraph(graph, { query: '{ __typename }' }, { accept: 'text/html' })).status).toBe(406);
  });

  it('point to where a syntax error is', async () => {
    const { errors } = await askGraph(graph, { query: '{\n  users {' });
    expect(errors?.[0]?.locations).toEqual([{ line: 2, column: 10 }]);
  });

  it('reject bodies that are too large, compressed, or in another charset (S-004, S-056, S-058)', async () => {
    const large = await postGraph(graph, { query: `# ${'x'.repeat(1_100_000)}\n{ __typename }` });
    expect(large.status).toBe(413);
    for (const headers of [
      { 'content-encoding': 'br' },
      { 'content-type': 'application/json; charset=utf-7' },
    ])
      expect((await postGraph(graph, { query: '{ __typename }' }, { headers })).status).toBe(415);
  });
});

describe('POST and GET', () => {
  it('reject what a web page could send without asking (S-050)', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      '',
    ]) {
      const response = await postGraph(
        graph,
        { query: '{ __typename }' },
        { headers: { 'content-type': type, 'sec-fetch-site': 'cross-site' } },
      );
      expect([type, response.status]).toEqual([type, 400]);
      const { errors } = (await response.json()) as Result;
      expect(errors?.[0]?.extensions.code).toBe('CSRF_PREVENTED');
    }
    const headers = { 'sec-fetch-site': 'cross-site' };
    const response = await fetch(`${graph}?query={__typename}`, { headers });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Result).errors?.[0]?.extensions.code).toBe('CSRF_PREVENTED');
  });

  it('answer a query by GET with a header that web pages can not set, variables and a token', async () => {
    const url = new URL(graph);
    url.searchParams.set('query', 'query Two($n: Int) { users(limit: $n) { id } }');
    url.searchParams.set('variables', '{"n":2}');
    url.searchParams.set('operationName', 'Two');
    for (const headers of [preflight, { 'x-apollo-operation-name': 'Two' }]) {
      const response = await fetch(url, {
        headers: { ...headers, authorization: `Bearer ${await tokens.of('vi')}` },
      });
      expect(response.status).toBe(200);
      const { data } = (await response.json()) as Result;
      expect(data?.['users']).toHaveLength(2);
    }
  });

  it('answer other methods, and other paths, in words (S-051, A-008)', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH'])
      expect((await fetch(graph, { method, headers: preflight })).status).toBe(405);
    const response = await fetch(new URL('/nowhere', graph));
    expect(response.status).toBe(404);
    expect(await response.text()).not.toMatch(/ at \S+ \(|:\d+:\d+|node_modules|fastify/i);
  });
});

describe('A batch', () => {
  it('answers each operation on its own, in order (S-053)', async () => {
    const token = await tokens.of('vi');
    const response = await postGraph(
      graph,
      [
        { query: '{ users(limit: 1) { id } }' },
        { query: '{ nothing }' },
        'no request',
        { query: '{ posts(first: 1000) { id } }' },
        { query: 'query ($id: ID!) { user(id: $id) { id } }', variables: { id: 'unknown' } },
      ],
      { token },
    );
    expect(response.status).toBe(200);
    const results = (await response.json()) as Result[];
    expect(results.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual([
      undefined,
      'GRAPHQL_VALIDATION_FAILED',
      'BAD_REQUEST',
      'BAD_USER_INPUT',
      undefined,
    ]);
    expect(results[0]?.data?.['users']).toHaveLength(1);
    expect(results[4]?.data).toEqual({ user: null });
  });

  it('holds at most 10 operations, and at least one', async () => {
    const batch = (length: number): unknown[] => Array.from({ length }, () => ({ query: '{ __typename }' }));
    expect((await postGraph(graph, batch(10))).status).toBe(200);
    const tooMany = await postGraph(graph, batch(11));
    expect(tooMany.status).toBe(400);
    const limits = ((await tooMany.json()) as Result[]).map(({ errors }) => errors?.[0]?.extensions['limit']);
    expect(limits).toEqual(Array.from({ length: 11 }, () => ({ name: 'batch', maximum: 10, actual: 11 })));
    expect((await postGraph(graph, [])).status).toBe(400);
  });

  it('checks the token of each operation', async () => {
    const response = await postGraph(graph, [{ query: '{ __typename }' }, { query: '{ me { id } }' }]);
    expect(response.status).toBe(200);
    const [open, guarded] = (await response.json()) as Result[];
    expect(open?.data).toEqual({ __typename: 'Query' });
    expect(guarded?.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });
});
