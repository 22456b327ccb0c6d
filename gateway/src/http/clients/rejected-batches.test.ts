import {
  ApolloClient,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
  ServerError,
} from '@apollo/client';
import type { ApolloLink } from '@apollo/client';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { cacheExchange, Client, fetchExchange } from '@urql/core';
import { until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const settingsOf = (admission: string): string => `
http: { cors: { origins: [https://app.example] } }
admission: ${admission}
limits: { bodyBytes: 200000, variables: 1000 }
timeouts: { requestMs: 9000 }
traffic: { timeoutMs: 8000 }`;
/** Why a request is rejected beside one that takes long. */
const REASONS = [
  { why: 'the gateway is full', admission: '{ maxRequests: 1 }', code: 'OVERLOADED', status: 503 },
  {
    why: 'its address has its share',
    admission: '{ maxRequests: 10, perCaller: 0.01 }',
    code: 'RATE_LIMITED',
    status: 429,
  },
];
/** Requests of pages of other origins are read by the framework, others past it. */
const PATHS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'the short way': {},
  'the framework': { origin: 'https://app.example' },
};
const QUERY = gql`
  query Said($text: String, $list: [Int]) {
    said(text: $text, list: $list)
  }
`;

let subgraph: SubgraphServer;
let gateway: TestGateway;
let respond: (() => void) | undefined;

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'slow',
    typeDefs: gql`
      type Query {
        said(text: String, list: [Int]): Int
        slow: Int
      }
    `,
    resolvers: {
      Query: { said: () => 1, slow: () => new Promise<number>((resolve) => (respond = () => resolve(1))) },
    },
  });
});
afterAll(() => subgraph.close());

function serve(admission: string): void {
  beforeAll(async () => {
    gateway = await startTestGateway({ subgraphs: [subgraph], settings: settingsOf(admission) });
  });
  afterAll(() => gateway.close());
}

type Variables = Readonly<Record<string, unknown>>;

/** What an application sees of each of three operations that are sent as one batch. */
async function errorsOf(link: ApolloLink, variables: Variables): Promise<readonly unknown[]> {
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const asked = [1, 2, 3].map((number) =>
    client.query({ query: QUERY, variables: { ...variables, number }, fetchPolicy: 'no-cache' }),
  );
  const results = await Promise.allSettled(asked);
  client.stop();
  return results.map((result) => (result.status === 'rejected' ? reasonOf(result.reason) : result.value));
}

function reasonOf(reason: unknown): unknown {
  if (CombinedGraphQLErrors.is(reason)) return reason.errors[0]?.extensions?.['code'];
  if (!ServerError.is(reason)) return String(reason);
  const { errors } = JSON.parse(reason.bodyText) as { errors: { extensions: { code: string } }[] };
  return [reason.statusCode, errors[0]?.extensions.code];
}

function batchLink(headers: Readonly<Record<string, string>>, send: typeof fetch = fetch): BatchHttpLink {
  return new BatchHttpLink({ uri: `${gateway.url}/graphql`, headers, fetch: send });
}

/** Sends a body without saying how long it is. */
const inChunks: typeof fetch = (input, init) =>
  fetch(input, { ...init, body: new Blob([init?.body as string]).stream(), duplex: 'half' } as RequestInit); // links send texts

const LARGE = { text: 'x'.repeat(70_000) };
const MANY = { list: Array.from({ length: 1_000 }, () => 1) };

function thrice<T>(value: T): readonly T[] {
  return [value, value, value];
}

describe('A batch that is rejected as a whole', () => {
  describe('for what it is', () => {
    serve('{}');
    for (const [path, headers] of Object.entries(PATHS)) {
      it(`says why for each operation, by ${path}: more values than allowed`, async () => {
        const errors = await errorsOf(batchLink(headers), MANY);
        expect(errors).toEqual(thrice('QUERY_TOO_COMPLEX'));
      });

      it(`says why with its status where it is not read, by ${path}: more bytes than allowed`, async () => {
        for (const send of [fetch, inChunks]) {
          const errors = await errorsOf(batchLink(headers, send), LARGE);
          expect(errors).toEqual(thrice([413, 'PAYLOAD_TOO_LARGE']));
        }
      });
    }
  });

  describe.each(REASONS)('with $status, because $why', ({ admission, code, status }) => {
    serve(admission);
    let slow: Promise<unknown>;
    beforeAll(async () => {
      slow = gateway.post({ query: '{ slow }' });
      await until(() => respond !== undefined);
    });
    afterAll(async () => {
      respond?.();
      respond = undefined;
      await slow;
    });

    for (const [path, headers] of Object.entries(PATHS)) {
      it(`says why for each operation, by ${path}`, async () => {
        expect(await errorsOf(batchLink(headers), {})).toEqual(thrice(code));
        expect(await errorsOf(batchLink(headers, inChunks), {})).toEqual(thrice(code));
      });

      it(`says why with its status where it is too long to count, by ${path}`, async () => {
        const errors = await errorsOf(batchLink(headers), { text: 'x'.repeat(30_000) });
        expect(errors).toEqual(thrice([status, code]));
      });

      it(`sends a plain client as many results as it has sent operations, with the status, by ${path}`, async () => {
        const body = JSON.stringify([{ query: '{ said }' }, { query: '[1, {"}' }]);
        const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
        const response = await fetch(`${gateway.url}/graphql`, init);
        const rejected = { errors: [{ extensions: { code } }] };
        expect([response.status, response.headers.get('retry-after')]).toEqual([status, '1']);
        expect(await response.json()).toMatchObject([rejected, rejected]);
      });

      it(`leaves the response to a single request as it is, by ${path}`, async () => {
        const uri = `${gateway.url}/graphql`;
        const codes = await errorsOf(new HttpLink({ uri, headers }), LARGE);
        expect(codes).toEqual(thrice(code));
        const exchanges = [cacheExchange, fetchExchange];
        const urql = new Client({ url: uri, exchanges, preferGetMethod: false, fetchOptions: { headers } });
        const { error } = await urql.query(QUERY, {});
        expect(error?.graphQLErrors[0]?.extensions['code']).toBe(code);
      });
    }
  });
});
