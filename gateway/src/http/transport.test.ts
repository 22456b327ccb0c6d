import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { createHash } from 'node:crypto';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { readAnswer, startTestGateway, type GraphAnswer, type TestGateway } from '../testing/test-gateway.ts';

let graph: LibraryGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    environment: { FORWARD_HEADERS: 'x-tenant accept-language' },
  });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});
beforeEach(() => graph.forget());

type Headers = Readonly<Record<string, string>>;
const RESPONSE_JSON = 'application/graphql-response+json';
const PREFLIGHT = { 'apollo-require-preflight': 'true' };
const PUBLIC = '{ public }';

async function get(
  parameters: Readonly<Record<string, string>>,
  headers: Headers = PREFLIGHT,
): Promise<GraphAnswer> {
  const query = new URLSearchParams(parameters).toString();
  return readAnswer(await fetch(`${gateway.url}/graphql?${query}`, { headers }));
}

/** Sends bytes as they are, with headers that fetch would not let pass. */
function sendRaw(
  headers: Readonly<Record<string, string | string[]>>,
  body: string | Buffer,
  method = 'POST',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${gateway.url}/graphql`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

const code = ({ body }: GraphAnswer): unknown => body.errors?.[0]?.extensions['code'];

describe('GraphQL over HTTP: POST', () => {
  it('S-094 answers application/json by default, in UTF-8, not to be stored', async () => {
    const answer = await gateway.post({ query: PUBLIC });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.text).toBe('{"data":{"public":"open to all"}}');
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
    const answer = await gateway.post({ query: PUBLIC }, { accept });
    expect(answer.headers.get('content-type')).toBe(`${expected}; charset=utf-8`);
  });

  it.each(['text/html', 'application/json; charset=utf-16', 'application/json;q=0'])(
    'answers 406 to a client that accepts only %s',
    async (accept) => {
      const answer = await gateway.post({ query: PUBLIC }, { accept });
      expect([answer.status, code(answer)]).toEqual([406, 'NOT_ACCEPTABLE']);
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
  ])('answers 400 to a body that is %s', async (_name, text) => {
    for (const accept of ['application/json', RESPONSE_JSON]) {
      const answer = await gateway.post(text, { accept });
      expect([answer.status, code(answer)]).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it('takes null for variables, extensions and operationName', async () => {
    const answer = await gateway.post({
      query: PUBLIC,
      variables: null,
      extensions: null,
      operationName: null,
    });
    expect(answer.body.errors).toBeUndefined();
  });

  it('answers 400 to a body that is not UTF-8', async () => {
    const body = Buffer.concat([
      Buffer.from('{"query": "{ public }", "operationName": "'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const { status, text } = await sendRaw({ 'content-type': 'application/json' }, body);
    expect(status).toBe(400);
    expect(text).toContain('BAD_REQUEST');
  });

  it('S-020 lets the last of two members with one name count', async () => {
    const answer = await gateway.post('{"query": "{ nothing }", "query": "{ public }"}');
    expect(answer.body).toEqual({ data: { public: 'open to all' } });
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

  it('answers 401 with a challenge where a missing token leaves no data', async () => {
    const answer = await gateway.post({ query: '{ me { name } }' }, { accept: RESPONSE_JSON });
    expect(answer.status).toBe(200); // me may be null, so there is data
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
    const answer = await get({
      query: 'query e($list: [Int!]) { echo(list: $list) }',
      variables: '{"list":[1,2]}',
      operationName: 'e',
    });
    expect(answer.body).toEqual({ data: { echo: '{"list":[1,2]}' } });
  });

  it('S-051 refuses mutations with 405', async () => {
    const answer = await get({ query: 'mutation { rename(id: "user-1", name: "X") { name } }' });
    expect([answer.status, code(answer), answer.headers.get('allow')]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      'POST',
    ]);
    expect(graph.requests()).toBe(0);
  });

  it('answers 400 to parameters that are malformed or given twice', async () => {
    expect((await get({ query: PUBLIC, variables: '{' })).status).toBe(400);
    expect((await get({})).status).toBe(400);
    const twice = await fetch(`${gateway.url}/graphql?query=%7Bpublic%7D&query=%7Bpublic%7D`, {
      headers: PREFLIGHT,
    });
    expect(twice.status).toBe(400);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'PROPFIND', 'M-SEARCH', 'TRACE'])(
    'answers 405 to %s',
    async (method) => {
      for (const path of ['/graphql', '/graphql/stream']) {
        const { statusCode, headers, body } = await request(`${gateway.url}${path}`, {
          method: method as 'PUT', // undici sends any
        });
        await body.dump();
        expect([statusCode, headers['allow']]).toEqual([405, 'GET, POST']);
      }
    },
  );
});

describe('CSRF prevention', () => {
  const body = JSON.stringify({ query: PUBLIC });

  it.each<[string, Headers]>([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a multipart form', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['no media type', {}],
    ['a parameter that is no charset', { 'content-type': 'application/json;x' }],
    ['a tab and garbage', { 'content-type': 'application/json\t; x' }],
    ['trailing garbage', { 'content-type': 'application/json x' }],
    ['a type that begins like JSON', { 'content-type': 'application/jsonp' }],
    ['two types', { 'content-type': 'text/plain, application/json' }],
    ['a parameter that looks like JSON', { 'content-type': 'text/plain; application/json' }],
  ])('S-050 refuses a POST with %s', async (_name, headers) => {
    for (const preflight of [{}, PREFLIGHT]) {
      const { status, text } = await sendRaw({ ...headers, ...preflight }, body);
      expect([400, 415]).toContain(status);
      expect(text).toMatch(/CSRF_PREVENTED|UNSUPPORTED_MEDIA_TYPE/);
    }
    expect(graph.requests()).toBe(0);
  });

  it('S-050 refuses a GET without a header that makes browsers ask', async () => {
    const headersOfPages: readonly Headers[] = [
      {},
      { 'content-type': 'message/external-body' },
      { 'content-type': 'application/json' },
      { accept: RESPONSE_JSON },
      { 'apollo-require-preflight': '' },
    ];
    for (const headers of headersOfPages) {
      const answer = await get({ query: PUBLIC }, headers);
      expect([answer.status, code(answer)]).toEqual([400, 'CSRF_PREVENTED']);
    }
    expect(graph.requests()).toBe(0);
    expect((await get({ query: PUBLIC }, { 'x-apollo-operation-name': 'x' })).status).toBe(200);
  });

  it('takes application/json with charset=utf-8 in its spellings', async () => {
    for (const type of [
      'application/json;charset=utf-8',
      'Application/JSON; Charset="UTF-8"',
      'application/json ;',
    ])
      expect((await sendRaw({ 'content-type': type }, body)).status).toBe(200);
  });
});

describe('Bodies', () => {
  it('S-058 answers 415 to other charsets', async () => {
    for (const charset of ['utf-16', 'iso-8859-1', 'utf-7']) {
      const answer = await gateway.post(
        { query: PUBLIC },
        { 'content-type': `application/json; charset=${charset}` },
      );
      expect([answer.status, code(answer)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it('S-056 answers 415 to compressed bodies', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, gzip']) {
      const answer = await gateway.post({ query: PUBLIC }, { 'content-encoding': encoding });
      expect([answer.status, code(answer)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it('S-004 answers 413 to a body over 1 MiB, declared or not', async () => {
    const body = JSON.stringify({ query: `{ public } #${'x'.repeat(1_100_000)}` });
    const declared = await gateway.post(body);
    expect([declared.status, code(declared)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const chunked = await sendRaw(
      { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      body,
    ).catch(
      (error: NodeJS.ErrnoException) => ({ status: 413, text: String(error.code) }), // the socket may be closed while we still send
    );
    expect(chunked.status).toBe(413);
  });

  it('S-059 answers 431 to oversized headers', async () => {
    const { status } = await sendRaw(
      { 'content-type': 'application/json', 'x-long': 'x'.repeat(20_000) },
      '{}',
    );
    expect(status).toBe(431);
  });

  it('S-060 answers 400 to a request with both content-length and chunks', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const { port, hostname } = new URL(gateway.url);
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n',
        ),
      );
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('S-061 answers 1,000 pipelined requests in order', async () => {
    const body = '{"query":"{ __typename }"}';
    const one = `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { port, hostname } = new URL(gateway.url);
    const answers = await new Promise<number>((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), hostname, () => socket.write(one.repeat(1_000)));
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString();
        const count = received.split('{"data":{"__typename":"Query"}}').length - 1;
        if (count < 1_000) return;
        socket.destroy();
        resolve(count);
      });
      socket.on('error', reject);
    });
    expect(answers).toBe(1_000);
  });
});

describe('Batches', () => {
  it('answers each operation on its own, in order', async () => {
    const answer = await gateway.post([
      { query: PUBLIC },
      { query: '{ nothing }' },
      { query: '{' },
      'not a request',
      [{ query: PUBLIC }],
      { query: '{ fail }' },
      { query: 'query ($id: ID!) { person(id: $id) { name } }', variables: { id: 'user-2' } },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.bodies.map((body) => body.errors?.[0]?.extensions['code'] ?? body.data)).toEqual([
      { public: 'open to all' },
      'GRAPHQL_VALIDATION_FAILED',
      'GRAPHQL_PARSE_ERROR',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'INTERNAL_SERVER_ERROR',
      { person: { name: 'Ed' } },
    ]);
  });

  it('S-053 refuses an empty batch, and one of more than 10', async () => {
    const empty = await gateway.post([]);
    expect([empty.status, code(empty)]).toEqual([400, 'BAD_REQUEST']);
    const long = await gateway.post(Array.from({ length: 11 }, () => ({ query: PUBLIC })));
    expect(long.status).toBe(400);
    expect(long.body.errors?.[0]?.extensions).toEqual({
      code: 'QUERY_TOO_COMPLEX',
      limit: { name: 'batch', maximum: 10, actual: 11 },
    });
    expect(graph.requests()).toBe(0);
    expect((await gateway.post(Array.from({ length: 10 }, () => ({ query: PUBLIC })))).bodies).toHaveLength(
      10,
    );
  });

  it('has the status that all its answers have', async () => {
    const headers = { accept: RESPONSE_JSON };
    expect((await gateway.post([{ query: '{' }, { query: '{ nothing }' }], headers)).status).toBe(400);
    expect((await gateway.post([{ query: '{' }, { query: PUBLIC }], headers)).status).toBe(200);
  });
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
    expect((await get({ extensions: JSON.stringify(extensions) })).body.data).toEqual({
      public: 'open to all',
    });
  });

  it('S-054 refuses a text under a hash that is not its own, and stores nothing', async () => {
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
  ])('S-054 refuses %s', async (_name, sha256Hash, version) => {
    for (const query of ['', PUBLIC]) {
      const answer = await gateway.post({ query, extensions: persisted(sha256Hash, version) });
      expect([answer.status, code(answer)]).toEqual([400, 'PERSISTED_QUERY_MISMATCH']);
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

describe('Headers to subgraphs', () => {
  it('S-062 are the configured ones and no others', async () => {
    await sendRaw(
      {
        'content-type': 'application/json',
        'x-tenant': 'acme',
        'accept-language': 'de',
        authorization: 'Bearer x',
        cookie: 'session=1',
        'x-user-id': 'root',
        'X-User-Roles': ['ADMIN', 'EDITOR'],
        x_user_id: 'root',
        'x-forwarded-user': 'root',
        'trellis-user-context': 'forged',
        'x-request-id': 'forged',
      },
      JSON.stringify({ query: PUBLIC }),
    );
    const headers = graph.people.received[0]?.headers ?? {};
    expect(Object.keys(headers).toSorted()).toEqual(
      [
        'accept',
        'accept-language',
        'connection',
        'content-length',
        'content-type',
        'host',
        'trellis-timeout-ms',
        'x-request-id',
        'x-tenant',
      ].toSorted(),
    );
    expect(headers).toMatchObject({ 'x-tenant': 'acme', 'accept-language': 'de' });
    expect(headers['x-request-id']).not.toBe('forged');
  });

  it('S-062 leave out what the client meant for this hop alone', async () => {
    await sendRaw(
      { 'content-type': 'application/json', connection: 'keep-alive, X-Tenant', 'x-tenant': 'acme' },
      JSON.stringify({ query: PUBLIC }),
    );
    expect(graph.people.received[0]?.headers['x-tenant']).toBeUndefined();
  });
});

describe('Names that JavaScript knows', () => {
  it('S-037 are ordinary aliases and variables', async () => {
    const query = `query ($__proto__: String, $constructor: String) {
      constructor: echo(value: $constructor) prototype: public toString: public hasOwnProperty: public then: public
      proto: echo(value: $__proto__)
    }`;
    const body = `{"query": ${JSON.stringify(query)}, "variables": {"__proto__": "a", "constructor": "b"}}`;
    const answer = await gateway.post(body);
    expect(answer.body.errors).toBeUndefined();
    expect(Object.entries(answer.body.data ?? {})).toEqual([
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
