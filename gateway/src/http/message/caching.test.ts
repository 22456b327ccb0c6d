import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { sha256 } from '../../operation/document/sha256.ts';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import {
  readGatewayResponse,
  startTestGateway,
  type GatewayResponse,
  type TestGateway,
} from '../../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../../testing/token-issuer.ts';

const LINKS = gql`
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@composeDirective"])
    @link(url: "https://caching.test/caching/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
  directive @cacheControl(
    maxAge: Int
    scope: caching__Scope
    inheritMaxAge: Boolean
  ) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
  enum caching__Scope {
    PUBLIC
    PRIVATE
  }
`;

let subgraph: SubgraphServer;
let issuer: TokenIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  const [book, author] = [
    { id: '1', title: 'First', stock: 3, note: 'mine', author: { name: 'Ada' } },
    'Ada',
  ];
  [subgraph, issuer] = await Promise.all([
    startSubgraph({
      name: 'books',
      typeDefs: gql`
        ${LINKS}
        type Query {
          book: Book
          unspoken: Author
          found: Found
          mixed: Mixed
          answer: Int
          said: Int @cacheControl(maxAge: 7)
          fail: Int @cacheControl(maxAge: 7)
        }
        type Mutation {
          write: Int
        }
        type Book @cacheControl(maxAge: 60) {
          id: ID!
          title: String
          stock: Int @cacheControl(maxAge: 5)
          note: String @cacheControl(scope: PRIVATE)
          author: Author @cacheControl(inheritMaxAge: true)
        }
        type Author {
          name: String
        }
        type Pamphlet @cacheControl(maxAge: 20, scope: PRIVATE) {
          title: String
        }
        union Found = Book | Pamphlet
        union Mixed = Book | Author
      `,
      resolvers: {
        Query: {
          book: () => book,
          unspoken: () => ({ name: author }),
          found: () => ({ __typename: 'Book', ...book }),
          mixed: () => ({ __typename: 'Book', ...book }),
          result: () => 42,
          said: () => 1,
          fail: () => {
            throw new Error('no');
          },
        },
        Mutation: { write: () => 1 },
      },
    }),
    startTokenIssuer(),
  ]);
  gateway = await startTestGateway({
    subgraphs: [subgraph],
    environment: {
      ...issuer.environment,
      FORWARD_HEADERS: 'X-Tenant',
    },
    settings: 'headers: { forward: [x-api-key, x-region], public: [X-Region] }',
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([subgraph.close(), issuer.close()]);
});

const cacheControl = ({ headers }: GatewayResponse): string | null => headers.get('cache-control');

describe('Cache-Control by the hints of the schema', () => {
  it.each([
    ['{ book { title } }', 'public, max-age=60'],
    ['{ book { title stock } }', 'public, max-age=5'],
    ['query { book { ...F } } fragment F on Book { title ... { stock } }', 'public, max-age=5'],
    ['query ($v: Boolean = false) { book { title stock @include(if: $v) } }', 'public, max-age=60'],
    ['query ($v: Boolean = true) { book { title stock @include(if: $v) } }', 'public, max-age=5'],
    ['{ book { note } }', 'private, max-age=60'],
    ['{ book { author { name } } }', 'public, max-age=60'],
    ['{ said }', 'public, max-age=7'],
    ['{ answer }', 'no-store'],
    ['{ unspoken { name } }', 'no-store'],
    ['{ found { ... on Book { title } } }', 'private, max-age=20'],
    ['{ mixed { ... on Book { title } } }', 'no-store'],
    ['{ book { title } unspoken { name } }', 'no-store'],
    ['mutation { write }', 'no-store'],
    ['{ __typename }', 'no-store'],
  ])('of %s is %s', async (query, expected) => {
    const result = await gateway.post({ query });
    expect(result.body.errors).toBeUndefined();
    expect(cacheControl(result)).toBe(expected);
  });

  it('S-094 is private with a user', async () => {
    const authorization = `Bearer ${await issuer.sign()}`;
    expect(cacheControl(await gateway.post({ query: '{ said }' }, { authorization }))).toBe(
      'private, max-age=7',
    );
  });

  it.each([
    ['x-api-key', 'private'],
    ['X-Tenant', 'private'],
    ['x-region', 'public'],
    ['cookie', 'private'],
    ['x-not-forwarded', 'public'],
  ])('G14: with the header %s is %s', async (name, scope) => {
    const result = await gateway.post({ query: '{ said }' }, { [name]: 'a' });
    expect(cacheControl(result)).toBe(`${scope}, max-age=7`);
  });

  it.each(['{ fail }', '{ fail said }', '{ nothing }', '{'])(
    'S-094 is no-store with errors: %s',
    async (query) => {
      expect(cacheControl(await gateway.post({ query }))).toBe('no-store');
    },
  );

  it('S-094 of a batch is the strictest of its elements', async () => {
    const ask = async (...queries: string[]): Promise<string | null> =>
      cacheControl(await gateway.post(queries.map((query) => ({ query }))));
    expect(await ask('{ said }', '{ book { title } }')).toBe('public, max-age=7');
    expect(await ask('{ said }', '{ book { note } }')).toBe('private, max-age=7');
    expect(await ask('{ said }', '{ fail }', '{ book { title } }')).toBe('no-store');
  });
});

describe('A persisted query by GET', () => {
  it('can be stored by a CDN, with a Vary of what the response depends on', async () => {
    const query = '{ book { title } }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } };
    await gateway.post({ query, extensions });
    const parameters = new URLSearchParams({ extensions: JSON.stringify(extensions) });
    const result = await readGatewayResponse(
      await fetch(`${gateway.url}/graphql?${parameters}`, { headers: { 'apollo-require-preflight': '1' } }),
    );
    expect(result.body.data).toEqual({ book: { title: 'First' } });
    expect(cacheControl(result)).toBe('public, max-age=60');
    const vary = result.headers.get('vary')?.split(/, */) ?? [];
    expect(vary).toEqual(expect.arrayContaining(['accept', 'authorization', 'x-tenant']));
  });

  it('that is not known is never stored', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256('{ never }') } };
    const parameters = new URLSearchParams({ extensions: JSON.stringify(extensions) });
    const result = await readGatewayResponse(
      await fetch(`${gateway.url}/graphql?${parameters}`, { headers: { 'apollo-require-preflight': '1' } }),
    );
    expect(cacheControl(result)).toBe('no-store');
  });
});

describe('Cache-Control by the responses of subgraphs', () => {
  let servers: Server[];
  let plain: TestGateway;
  const said = new Map<string, string | undefined>();

  beforeAll(async () => {
    servers = [];
    plain = await startTestGateway({ subgraphs: await Promise.all(['a', 'b'].map(startPlain)) });
  });
  afterAll(async () => {
    await plain.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function startPlain(name: string): Promise<SubgraphServer> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const header = said.get(name);
        response.writeHead(200, {
          'content-type': 'application/json',
          ...(header !== undefined && { 'cache-control': header }),
        });
        response.end(`{"data":{"${name}":1}}`);
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo; // it listens on TCP
    return {
      ...subgraph,
      name,
      url: `http://127.0.0.1:${port}/`,
      typeDefs: gql`type Query { ${name}: Int }`,
    };
  }

  it.each<[string | undefined, string | undefined, string]>([
    ['max-age=30', 'max-age=10', 'public, max-age=10'],
    ['max-age=30', 'private, max-age=60', 'private, max-age=30'],
    ['max-age=30', 'no-store', 'no-store'],
    ['max-age=30', undefined, 'no-store'],
    [undefined, undefined, 'no-store'],
  ])('%s and %s is %s', async (a, b, expected) => {
    said.set('a', a).set('b', b);
    expect(cacheControl(await plain.post({ query: '{ a b }' }))).toBe(expected);
  });
});
