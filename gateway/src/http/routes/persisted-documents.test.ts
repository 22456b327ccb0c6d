import { createHash } from 'node:crypto';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import {
  PREFLIGHT,
  readGatewayResponse,
  startTestGateway,
  type GatewayResponse,
  type TestGateway,
} from '../../testing/test-gateway.ts';

// The texts and their identifiers are the examples of the appendix.
const SPACED = 'query ($id: ID!) {\n  user(id: $id) {\n    name\n  }\n}';
const SPACED_ID = 'sha256:7dba4bd717b41f10434822356a93c32b1fb4907b983e854300ad839f84cdcd6e';
const DENSE = 'query($id:ID!){user(id:$id){name}}';
const DENSE_ID = 'sha256:71f7dc5758652baac68e4a10c50be732b741c892ade2883a99358f52b555286b';
const SEVERAL = `query UserName($id: ID!) {
  user(id: $id) {
    name
  }
}

query FriendsNames($id: ID!) {
  user(id: $id) {
    ...User
    friends {
      ...User
    }
  }
}

fragment User on User {
  id
  name
}`;
const SEVERAL_ID = 'sha256:517c56d2ba0779653b7698881207f749509f331bdaccbe951a82c378bc869556';
const RENAME = 'mutation Rename { rename }';
const RENAME_ID = 'x-app:rename.1';
const MD5 = createHash('md5').update(DENSE).digest('hex');

const ada = { name: 'Ada' };
const id = 'QVBJcy5ndXJ1';
const code = ({ body }: GatewayResponse): unknown => body.errors?.map(({ extensions }) => extensions['code']);

let subgraph: SubgraphServer;
let listed: TestGateway;
let automatic: TestGateway;
let off: TestGateway;
beforeAll(async () => {
  const user = { id, ...ada, friends: [{ id: '2', name: 'Bo' }] };
  subgraph = await startSubgraph({
    name: 'users',
    typeDefs: gql`
      type Query {
        user(id: ID!): User
      }
      type Mutation {
        rename: Boolean
      }
      type User {
        id: ID!
        name: String
        friends: [User!]
      }
    `,
    resolvers: { Query: { user: () => user }, Mutation: { rename: () => true } },
  });
  const operations = { [SPACED_ID.slice(7)]: SPACED, [MD5]: DENSE, several: SEVERAL, [RENAME_ID]: RENAME };
  listed = await startTestGateway({
    subgraphs: [subgraph],
    settings: 'persistedQueries: { mode: safelist, manifests: [list.json] }',
    files: { 'list.json': JSON.stringify(operations) },
  });
  automatic = await startTestGateway({ subgraphs: [subgraph] });
  off = await startTestGateway({ subgraphs: [subgraph], settings: 'persistedQueries: { mode: off }' });
});
afterAll(async () => {
  await Promise.all([listed, automatic, off].map((gateway) => gateway.close()));
  await subgraph.close();
});

const ask = async (path: string, init: RequestInit = {}): Promise<GatewayResponse> =>
  readGatewayResponse(await fetch(`${listed.url}/graphql${path}`, { headers: PREFLIGHT, ...init }));

/** As a browser sends it for an image on a page of another site. */
const CROSS_SITE = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'no-cors',
  origin: 'https://other.example',
};

describe('GraphQL over HTTP, "Appendix: Persisted Documents", identifiers', () => {
  it.each([
    ['SHA256 hex', SPACED_ID, SPACED],
    ['of whitespace', DENSE_ID, DENSE],
    ['of several operations', SEVERAL_ID, SEVERAL],
  ])('the identifier of the appendix’s example is that of its text: %s', (_, documentId, text) => {
    expect(`sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`).toBe(documentId);
  });

  it.each([
    ['SHA256 hex', SPACED_ID],
    ['SHA256 hex, of a text that is listed under another name', DENSE_ID],
    ['custom, an MD5 as of Relay', MD5],
  ])('a document is found by its identifier: %s', async (_, documentId) => {
    const { status, body } = await listed.post({ documentId, variables: { id } });
    expect([status, body]).toEqual([200, { data: { user: ada } }]);
  });

  it('a prefix of an application is part of the identifier', async () => {
    expect((await listed.post({ documentId: RENAME_ID })).body).toEqual({ data: { rename: true } });
    expect(code(await listed.post({ documentId: RENAME_ID.replace('x-app:', '') }))).toEqual([
      'PERSISTED_QUERY_REQUIRED',
    ]);
  });

  it.each(['md5:0123', 'trellis:1', ':', ':abc', 'SHA256:abc'])(
    'another prefix is reserved: %s',
    async (documentId) => {
      for (const gateway of [listed, automatic]) {
        const response = await gateway.post({ documentId });
        expect([response.status, code(response)]).toEqual([400, ['BAD_REQUEST']]);
      }
    },
  );

  it.each(['sha256:', 'sha256:several', DENSE_ID.toUpperCase().replace('SHA', 'sha'), `${DENSE_ID}0`])(
    'sha256 has 64 hexadecimal characters in lower case: %s',
    async (documentId) => {
      const response = await listed.post({ documentId });
      expect([response.status, code(response)]).toEqual([400, ['PERSISTED_QUERY_MISMATCH']]);
    },
  );
});

describe('GraphQL over HTTP, "Appendix: Persisted Documents", requests', () => {
  it('operationName chooses the operation; an empty one is none', async () => {
    const documentId = SEVERAL_ID;
    const named = await listed.post({ documentId, operationName: 'FriendsNames', variables: { id } });
    expect(named.body.data).toEqual({ user: { id, name: 'Ada', friends: [{ id: '2', name: 'Bo' }] } });
    expect(code(await listed.post({ documentId, operationName: '', variables: { id } }))).toEqual([
      'GRAPHQL_VALIDATION_FAILED',
    ]);
    const empty = await listed.post({ documentId: DENSE_ID, operationName: '', variables: { id } });
    expect(empty.body.data).toEqual({ user: ada });
  });

  it('GET: the example of the appendix, as it stands', async () => {
    const example = `?documentId=${DENSE_ID}&variables=%7B%22id%22%3A%22QVBJcy5ndXJ1%22%7D`;
    const { status, body } = await ask(example);
    expect([status, body]).toEqual([200, { data: { user: ada } }]);
  });

  it('GET: variables and extensions are JSON, operationName is a string', async () => {
    const parameters = {
      documentId: SEVERAL_ID,
      operationName: 'UserName',
      variables: JSON.stringify({ id }),
      extensions: '{}',
    };
    expect((await listed.get(parameters)).body).toEqual({ data: { user: ada } });
    for (const wrong of [{ variables: 'id' }, { extensions: 'x' }])
      expect((await listed.get({ ...parameters, ...wrong })).status).toBe(400);
  });

  it('GET: a mutation has status 405, and nothing is executed', async () => {
    subgraph.forget();
    const response = await listed.get({ documentId: RENAME_ID });
    expect([response.status, code(response)]).toEqual([405, ['METHOD_NOT_ALLOWED']]);
    expect(subgraph.received).toEqual([]);
  });

  it('POST: the example of the appendix, with its headers', async () => {
    const accept = 'application/graphql-response+json';
    const response = await listed.post({ documentId: SPACED_ID, variables: { id } }, { accept });
    expect([response.status, response.headers.get('content-type'), response.body]).toEqual([
      200,
      `${accept}; charset=utf-8`,
      { data: { user: ada } },
    ]);
  });

  it('a dedicated URL for each document, by GET and POST', async () => {
    const variables = encodeURIComponent(JSON.stringify({ id }));
    const expected = [200, { data: { user: ada } }];
    const byGet = await ask(`/${DENSE_ID}?variables=${variables}`);
    const ofSeveral = await ask(`/${SEVERAL_ID}/UserName?variables=${variables}`);
    const byPost = await ask(`/${DENSE_ID}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ variables: { id } }),
    });
    for (const { status, body } of [byGet, ofSeveral, byPost]) expect([status, body]).toEqual(expected);
    const inStream = await fetch(`${listed.url}/graphql/${DENSE_ID}?variables=${variables}`, {
      headers: { ...PREFLIGHT, accept: 'text/event-stream' },
    });
    expect(await inStream.text()).toContain('"data":{"user":{"name":"Ada"}}');
  });

  it('a dedicated URL and parameters that name another operation are no request', async () => {
    const parameters = new URLSearchParams({ documentId: SPACED_ID });
    expect(code(await ask(`/${DENSE_ID}?${parameters.toString()}`))).toEqual(['BAD_REQUEST']);
    expect(code(await ask(`/${SEVERAL_ID}/UserName?operationName=FriendsNames`))).toEqual(['BAD_REQUEST']);
    expect(code(await ask(`/${DENSE_ID}?query=%7Ba%7D`))).toEqual(['BAD_REQUEST']);
    const batch = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[{}]' };
    const { bodies } = await ask(`/${DENSE_ID}`, batch);
    expect(bodies.map(({ errors }) => errors?.map(({ extensions }) => extensions['code']))).toEqual([
      ['BAD_REQUEST'],
    ]);
  });

  it('what has no prefix is no URL of a document; a web page can’t forge one that is', async () => {
    expect((await fetch(`${listed.url}/graphql/several`, { headers: PREFLIGHT })).status).toBe(404);
    const forged = await readGatewayResponse(
      await fetch(`${listed.url}/graphql/${DENSE_ID}`, { headers: CROSS_SITE }),
    );
    expect(code(forged)).toEqual(['CSRF_PREVENTED']);
  });
});

describe('GraphQL over HTTP, "Appendix: Persisted Documents", responses', () => {
  const unknown = `sha256:${'0'.repeat(64)}`;

  it.each([
    ['application/json', 200],
    ['application/graphql-response+json', 400],
  ])('a document that is not found is a response with one error: %s', async (accept, status) => {
    for (const documentId of [unknown, MD5, 'several', RENAME_ID]) {
      const response = await automatic.post({ documentId }, { accept });
      expect([response.status, Object.keys(response.body), code(response)]).toEqual([
        status,
        ['errors'],
        ['PERSISTED_QUERY_NOT_FOUND'],
      ]);
      expect(response.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
    }
  });

  it('so is one where no documents are persisted, or others alone', async () => {
    expect(code(await off.post({ documentId: DENSE_ID }))).toEqual(['PERSISTED_QUERY_NOT_SUPPORTED']);
    expect(code(await listed.post({ documentId: unknown }))).toEqual(['PERSISTED_QUERY_REQUIRED']);
  });

  it('a document that comes with its identifier is checked, stored, and found from then on', async () => {
    const other = { documentId: DENSE_ID, query: SPACED, variables: { id } };
    expect(code(await automatic.post(other))).toEqual(['PERSISTED_QUERY_MISMATCH']);
    expect(code(await automatic.post({ documentId: DENSE_ID }))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    const first = await automatic.post({ documentId: DENSE_ID, query: DENSE, variables: { id } });
    expect(first.body).toEqual({ data: { user: ada } });
    const second = await automatic.post({ documentId: DENSE_ID, variables: { id } });
    expect(second.body).toEqual({ data: { user: ada } });
  });

  it('a text with an identifier of the client’s own is served, and not stored', async () => {
    const request = { documentId: 'mine', query: DENSE, variables: { id } };
    expect((await automatic.post(request)).body).toEqual({ data: { user: ada } });
    expect(code(await automatic.post({ documentId: 'mine' }))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  });

  it('everything behind the document is as of any other request', async () => {
    const invalid = await listed.post({ documentId: DENSE_ID, variables: {} });
    expect([invalid.status, code(invalid)]).toEqual([200, ['BAD_USER_INPUT']]);
  });
});
