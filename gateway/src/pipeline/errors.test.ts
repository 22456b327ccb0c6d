import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

let graph: LibraryGraph;
let development: TestGateway;
let production: TestGateway;
let issuer: TokenIssuer;

beforeAll(async () => {
  graph = await startLibraryGraph();
  issuer = await startTokenIssuer();
  development = await startTestGateway({ subgraphs: graph.all });
  production = await startTestGateway({
    subgraphs: graph.all,
    environment: {
      NODE_ENV: 'production',
      ...issuer.environment,
    },
  });
});
afterAll(async () => {
  await development.close();
  await production.close();
  await issuer.close();
  await graph.close();
});

/** What an error of each code has, and nothing else. See docs/errors.md#the-graph. */
const SHAPES: readonly (readonly [string, object, object])[] = [
  ['GRAPHQL_PARSE_ERROR', { query: '{' }, { locations: [{ line: 1, column: 2 }] }],
  ['GRAPHQL_VALIDATION_FAILED', { query: '{ publik }' }, { locations: [{ line: 1, column: 3 }] }],
  ['UNAUTHENTICATED', { query: '{ me { name } }' }, { path: ['me'], locations: expect.anything() }],
  ['FORBIDDEN', { query: '{ staff { name } }' }, { path: ['staff'], locations: expect.anything() }],
  [
    'INTERNAL_SERVER_ERROR',
    { query: '{ fail }' },
    {
      path: ['fail'],
      locations: expect.anything(),
      extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: expect.any(String) },
    },
  ],
  [
    'BAD_USER_INPUT',
    { query: 'query ($v: String) { echo(value: $v) }', variables: { v: 7 } },
    { locations: expect.anything(), extensions: { code: 'BAD_USER_INPUT', field: 'v', invalidValue: 7 } },
  ],
  [
    'QUERY_TOO_COMPLEX',
    { query: `{ ${Array.from({ length: 11 }, (_, index) => `a${index}: public`).join(' ')} }` },
    {
      extensions: { code: 'QUERY_TOO_COMPLEX', limit: { name: 'aliases', maximum: 10, actual: 11 } },
    },
  ],
];

describe('Errors: the codes', () => {
  it.each(SHAPES)('S-101 %s', async (code, request, shape) => {
    const headers =
      code === 'FORBIDDEN' ? { authorization: `Bearer ${await issuer.sign({ roles: [] })}` } : {};
    const { body, text } = await production.post(request, headers);
    expect(body.errors).toEqual([{ message: expect.any(String), extensions: { code }, ...shape }]);
    expect(text).not.toMatch(/stack|pg-7|Did you mean/);
  });
});

describe('Errors: internal failures', () => {
  it('S-101 show nothing in production but the request id, which finds the cause in the log', async () => {
    const { body, headers } = await production.post({ query: '{ public fail }' });
    expect(body.data).toEqual({ public: 'open to all', fail: null });
    const requestId = headers.get('x-request-id');
    expect(body.errors).toEqual([
      {
        message: 'Internal server error.',
        path: ['fail'],
        locations: expect.anything(),
        extensions: { code: 'INTERNAL_SERVER_ERROR', requestId },
      },
    ]);
    const record = production
      .logged()
      .find((entry) => entry['requestId'] === requestId && entry['level'] === 50);
    expect(JSON.stringify(record)).toContain('pg-7.internal');
  });

  it('are shown with their stack in development', async () => {
    const { body } = await development.post({ query: '{ fail }' });
    expect(body.errors?.[0]?.message).toBe('connection to pg-7.internal rejected');
    expect(body.errors?.[0]?.extensions['stacktrace']).toEqual(expect.any(Array));
  });
});

describe('Errors: variables', () => {
  const echo =
    'query ($l: [Int!], $i: EchoInput, $n: Int! = 3) { echo(list: [$n], input: $i) b: echo(list: $l) }';

  it.each<[string, object, string, unknown]>([
    ['a value of another type', { l: ['x'] }, 'l.0', 'x'],
    ['null where it is not allowed', { n: null }, 'n', null],
    ['a missing field of an input', { i: {} }, 'i', {}],
    ['an unknown field of an input', { i: { name: 'a', extra: 1 } }, 'i', { name: 'a', extra: 1 }],
    ['a wrong value deep within', { i: { name: 'a', nested: { name: 7 } } }, 'i.nested.name', 7],
  ])('name the field and the value: %s', async (_name, variables, field, invalidValue) => {
    const { body } = await development.post({ query: echo, variables });
    expect(body.data).toBeUndefined();
    expect(body.errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field, invalidValue });
  });

  it('name a required variable that is missing', async () => {
    const { body } = await development.post({ query: 'query ($l: [Int!]!) { echo(list: $l) }' });
    expect(body.errors?.[0]).toMatchObject({
      message: 'Variable "$l" of required type "[Int!]!" was not provided.',
      extensions: { code: 'BAD_USER_INPUT', field: 'l', invalidValue: null },
    });
  });

  it('shorten a large value, and stop after ten', async () => {
    const list = Array.from({ length: 1_000 }, () => 'x'.repeat(30));
    const { body } = await development.post({ query: echo, variables: { l: list, i: list } });
    expect(body.errors).toHaveLength(10);
    const large = await development.post({ query: echo, variables: { i: list } });
    expect(String(large.body.errors?.[0]?.extensions['invalidValue'])).toHaveLength(501);
  });

  it('apply defaults, and ignore what the operation does not declare', async () => {
    const query = 'query ($v: String = "default", $k: Kind = TWO) { echo(value: $v, kind: $k) }';
    const { body } = await development.post({ query, variables: { other: 1 } });
    expect(body.data).toEqual({ echo: '{"value":"default","kind":"TWO"}' });
  });
});
