import { createHash } from 'node:crypto';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../../testing/library-graph.ts';
import { sendRaw } from '../../testing/send-raw.ts';
import {
  PREFLIGHT,
  startTestGateway,
  type GatewayResponse,
  type TestGateway,
} from '../../testing/test-gateway.ts';

let graph: LibraryGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  gateway = await startTestGateway({ subgraphs: graph.all });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});
beforeEach(() => graph.forget());

const RESPONSE_JSON = 'application/graphql-response+json';
const PUBLIC = '{ public }';

const code = ({ body }: GatewayResponse): unknown => body.errors?.[0]?.extensions['code'];

describe('GraphQL over HTTP: POST', () => {
  it('S-094 answers application/json by default, in UTF-8, not to be stored', async () => {
    const result = await gateway.post({ query: PUBLIC });
    expect(result.status).toBe(200);
    expect(result.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(result.headers.get('cache-control')).toBe('no-store');
    expect(result.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(result.text).toBe('{"data":{"public":"open to all"}}');
  });

  it.each([
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json', 'application/json'],
    [RESPONSE_JSON, RESPONSE_JSON],
    ['application/json; q=0.5, application/graphql-response+json', RESPONSE_JSON],
    ['application/graphql-response+json, application/json;q=0.9', RESPONSE_JSON],
    ['text/html, */*;q=0.1', 'application/json'],
    ['application/json; charset=utf-8', 'application/json'],
  ])('negotiates %s', async (accept, expected) => {
    const result = await gateway.post({ query: PUBLIC }, { accept });
    expect(result.headers.get('content-type')).toBe(`${expected}; charset=utf-8`);
  });

  it.each(['text/html', 'application/json; charset=utf-16', 'application/json;q=0'])(
    'responds with 406 to a client that accepts only %s',
    async (accept) => {
      const result = await gateway.post({ query: PUBLIC }, { accept });
      expect([result.status, code(result)]).toEqual([406, 'NOT_ACCEPTABLE']);
    },
  );

  it('runs the operation that operationName says, and takes an empty one for none', async () => {
    const query = 'query a { public } query b { __typename }';
    expect((await gateway.post({ query, operationName: 'b' })).body).toEqual({
      data: { __typename: 'Query' },
    });
    expect((await gateway.post({ query: PUBLIC, operationName: '' })).body.errors).toBeUndefined();
    for (const operationName of [undefined, 'c'])
      expect(code(await gateway.post({ query, operationName }))).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it.each<[string, string]>([
    ['not JSON', '{"query": '],
    ['empty', ''],
    ['a string', '"{ public }"'],
    ['null', 'null'],
    ['a number', '7'],
    ['without query', '{}'],
    ['with a query that is no string', '{"query": ["{ public }"]}'],
    ['with variables that are a list', '{"query": "{ public }", "variables": []}'],
    ['with variables that are a string', '{"query": "{ public }", "variables": "{}"}'],
    ['with an operationName that is no string', '{"query": "{ public }", "operationName": 7}'],
    ['with extensions that are a number', '{"query": "{ public }", "extensions": 7}'],
  ])('responds with 400 to a body that is %s', async (_name, text) => {
    for (const accept of ['application/json', RESPONSE_JSON]) {
      const result = await gateway.post(text, { accept });
      expect([result.status, code(result)]).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it('takes null for variables, extensions and operationName', async () => {
    const result = await gateway.post({
      query: PUBLIC,
      variables: null,
      extensions: null,
      operationName: null,
    });
    expect(result.body.errors).toBeUndefined();
  });

  it('responds with 400 to a body that is not UTF-8', async () => {
    const body = Buffer.concat([
      Buffer.from('{"query": "{ public }", "operationName": "'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const { status, text } = await sendRaw(gateway, { 'content-type': 'application/json' }, body);
    expect(status).toBe(400);
    expect(text).toContain('BAD_REQUEST');
  });

  it('S-020 lets the last of two members with one name count', async () => {
    const result = await gateway.post('{"query": "{ nothing }", "query": "{ public }"}');
    expect(result.body).toEqual({ data: { public: 'open to all' } });
  });

  it.each([
    ['{ public', 'GRAPHQL_PARSE_ERROR'],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['query ($i: Int!) { echo(list: [$i]) }', 'BAD_USER_INPUT'],
  ])(
    'answers %s with 200 under application/json, with 400 under graphql-response+json',
    async (query, expected) => {
      const json = await gateway.post({ query });
      expect([json.status, code(json)]).toEqual([200, expected]);
      const response = await gateway.post({ query }, { accept: RESPONSE_JSON });
      expect([response.status, code(response)]).toEqual([400, expected]);
      expect(response.body).not.toHaveProperty('data');
      expect(graph.requests()).toBe(0);
    },
  );

  it('responds with 401 with a challenge where a missing token leaves no data', async () => {
    const result = await gateway.post({ query: '{ me { name } }' }, { accept: RESPONSE_JSON });
    expect(result.status).toBe(200); // me may be null, so there is data
    const none = await gateway.post(
      { query: '{ search { ... on Vault { title } } }' },
      { accept: RESPONSE_JSON },
    );
    expect(none.body.data).toBeNull();
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="graph"');
  });
});

describe('GraphQL over HTTP: GET', () => {
  it('answers queries', async () => {
    const result = await gateway.get({
      query: 'query e($list: [Int!]) { echo(list: $list) }',
      variables: '{"list":[1,2]}',
      operationName: 'e',
    });
    expect(result.body).toEqual({ data: { echo: '{"list":[1,2]}' } });
  });

  it('S-051 rejects mutations with 405', async () => {
    const result = await gateway.get({ query: 'mutation { rename(id: "user-1", name: "X") { name } }' });
    expect([result.status, code(result), result.headers.get('allow')]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      'POST',
    ]);
    expect(graph.requests()).toBe(0);
  });

  it('responds with 400 to parameters that are malformed or given twice', async () => {
    expect((await gateway.get({ query: PUBLIC, variables: '{' })).status).toBe(400);
    expect((await gateway.get({})).status).toBe(400);
    const twice = await fetch(`${gateway.url}/graphql?query=%7Bpublic%7D&query=%7Bpublic%7D`, {
      headers: PREFLIGHT,
    });
    expect(twice.status).toBe(400);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'PROPFIND', 'M-SEARCH', 'TRACE'])(
    'responds with 405 to %s',
    async (method) => {
      const isOfEventStreams = ['PUT', 'DELETE'].includes(method);
      for (const path of isOfEventStreams ? ['/graphql'] : ['/graphql', '/graphql/stream']) {
        const { statusCode, headers, body } = await request(`${gateway.url}${path}`, {
          method: method as 'PUT', // undici sends any
        });
        await body.dump();
        expect([statusCode, headers['allow']]).toEqual([405, 'GET, POST']);
      }
    },
  );
});

describe('Batches', () => {
  it('answers each operation on its own, in order', async () => {
    const result = await gateway.post([
      { query: PUBLIC },
      { query: '{ nothing }' },
      { query: '{' },
      'not a request',
      [{ query: PUBLIC }],
      { query: '{ fail }' },
      { query: 'query ($id: ID!) { user(id: $id) { name } }', variables: { id: 'user-2' } },
    ]);
    expect(result.status).toBe(200);
    expect(result.bodies.map((body) => body.errors?.[0]?.extensions['code'] ?? body.data)).toEqual([
      { public: 'open to all' },
      'GRAPHQL_VALIDATION_FAILED',
      'GRAPHQL_PARSE_ERROR',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'INTERNAL_SERVER_ERROR',
      { user: { name: 'Ed' } },
    ]);
  });

  it('S-053 rejects an empty batch, and one of more than 10', async () => {
    const empty = await gateway.post([]);
    expect([empty.status, code(empty)]).toEqual([400, 'BAD_REQUEST']);
    const long = await gateway.post(Array.from({ length: 11 }, () => ({ query: PUBLIC })));
    expect(long.status).toBe(400);
    const limit = { name: 'batch', maximum: 10, actual: 11 };
    expect(long.bodies).toHaveLength(11);
    for (const { errors } of long.bodies)
      expect(errors?.[0]?.extensions).toEqual({ code: 'QUERY_TOO_COMPLEX', limit });
    const longest = await gateway.post(Array.from({ length: 1_001 }, () => ({})));
    expect([longest.status, code(longest)]).toEqual([400, 'QUERY_TOO_COMPLEX']);
    expect(graph.requests()).toBe(0);
    expect((await gateway.post(Array.from({ length: 10 }, () => ({ query: PUBLIC })))).bodies).toHaveLength(
      10,
    );
  });

  it('has the status that all its responses have', async () => {
    const headers = { accept: RESPONSE_JSON };
    expect((await gateway.post([{ query: '{' }, { query: '{ nothing }' }], headers)).status).toBe(400);
    expect((await gateway.post([{ query: '{' }, { query: PUBLIC }], headers)).status).toBe(200);
  });
});

it('shows at any other address where the graph is', async () => {
  const result = await fetch(new URL('/', gateway.url));
  expect([result.status, await result.json()]).toEqual([
    404,
    { error: 'Not Found', message: 'There is nothing at this address. GraphQL is served at /graphql.' },
  ]);
});

describe('Automatic persisted queries', () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const persisted = (sha256Hash: unknown, version: unknown = 1): object => ({
    persistedQuery: { version, sha256Hash },
  });

  it('S-054 asks for the text of an unknown hash, takes it, and answers the hash from then on', async () => {
    const query = 'query known { public }';
    const extensions = persisted(hash(query));
    const unknown = await gateway.post({ query: '', extensions });
    expect([unknown.status, code(unknown)]).toEqual([200, 'PERSISTED_QUERY_NOT_FOUND']);
    expect(unknown.body.errors?.[0]?.message).toBe('PersistedQueryNotFound');
    expect((await gateway.post({ query, extensions })).body.data).toEqual({ public: 'open to all' });
    expect((await gateway.post({ query: '', extensions })).body.data).toEqual({ public: 'open to all' });
    expect((await gateway.post({ extensions })).body.data).toEqual({ public: 'open to all' });
    expect((await gateway.get({ extensions: JSON.stringify(extensions) })).body.data).toEqual({
      public: 'open to all',
    });
  });

  it('S-054 rejects a text under a hash that is not its own, and stores nothing', async () => {
    const victim = 'query victim { public }';
    const poison = await gateway.post({ query: '{ __typename }', extensions: persisted(hash(victim)) });
    expect([poison.status, code(poison)]).toEqual([400, 'PERSISTED_QUERY_MISMATCH']);
    expect(code(await gateway.post({ query: '', extensions: persisted(hash(victim)) }))).toBe(
      'PERSISTED_QUERY_NOT_FOUND',
    );
  });

  it.each<[string, unknown, unknown]>([
    ['another version', hash(PUBLIC), 2],
    ['a version that is a string', hash(PUBLIC), '1'],
    ['an upper-case hash', hash(PUBLIC).toUpperCase(), 1],
    ['a short hash', hash(PUBLIC).slice(1), 1],
    ['a hash that is a list', [hash(PUBLIC)], 1],
    ['no hash', undefined, 1],
  ])('S-054 rejects %s', async (_name, sha256Hash, version) => {
    for (const query of ['', PUBLIC]) {
      const result = await gateway.post({ query, extensions: persisted(sha256Hash, version) });
      expect([result.status, code(result)]).toEqual([400, 'PERSISTED_QUERY_MISMATCH']);
    }
  });

  it('S-054 does not store what is not valid', async () => {
    const query = '{ nothing }';
    await gateway.post({ query, extensions: persisted(hash(query)) });
    expect(code(await gateway.post({ query: '', extensions: persisted(hash(query)) }))).toBe(
      'PERSISTED_QUERY_NOT_FOUND',
    );
  });
});

describe('Names that JavaScript knows', () => {
  it('S-037 are ordinary aliases and variables', async () => {
    const query = `query ($__proto__: String, $constructor: String) {
      constructor: echo(value: $constructor) prototype: public toString: public hasOwnProperty: public then: public
      proto: echo(value: $__proto__)
    }`;
    const body = `{"query": ${JSON.stringify(query)}, "variables": {"__proto__": "a", "constructor": "b"}}`;
    const result = await gateway.post(body);
    expect(result.body.errors).toBeUndefined();
    expect(Object.entries(result.body.data ?? {})).toEqual([
      ['constructor', '{"value":"b"}'],
      ['prototype', 'open to all'],
      ['toString', 'open to all'],
      ['hasOwnProperty', 'open to all'],
      ['then', 'open to all'],
      ['proto', '{"value":"a"}'],
    ]);
    expect(({} as Record<string, unknown>)['value']).toBeUndefined();
  });
});
