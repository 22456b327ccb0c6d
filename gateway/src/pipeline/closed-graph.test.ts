import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { carriers } from '../../test-fixtures/attacks/carriers.ts';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

let graph: LibraryGraph;
let issuer: TokenIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  [graph, issuer] = await Promise.all([startLibraryGraph(), startTokenIssuer()]);
  gateway = await startTestGateway({
    subgraphs: graph.all,
    settings: 'authentication: { required: true }',
    environment: issuer.environment,
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([graph.close(), issuer.close()]);
});
beforeEach(() => graph.forget());

const queries = [
  '{ public }',
  '{ __schema { queryType { name } } }',
  '{ __typename }',
  '{ publik }',
  '{ public',
  '',
];

/** One of them expects that its other operations are answered. */
const closed = carriers.filter(({ name }) => name !== 'the third element of a batch');

describe.each(closed)('B5: A graph that needs a token, by $name', (carrier) => {
  it.each(queries)('says nothing to anonymous callers who send %j', async (query) => {
    for (const authorization of [undefined, 'Bearer garbage']) {
      const operation = { attack: '', query, ...(authorization !== undefined && { authorization }) };
      if (!carrier.takes(operation)) continue;
      for (const { code, text } of await carrier.send(gateway.url, operation)) {
        if (query !== '') expect(code).toBe('UNAUTHENTICATED');
        expect(text).not.toMatch(/Did you mean|open to all|Syntax|queryType":/);
      }
    }
    expect(graph.requests()).toBe(0);
  });

  it('answers everybody with a token', async () => {
    const authorization = `Bearer ${await issuer.sign()}`;
    for (const { code, text } of await carrier.send(gateway.url, {
      attack: '',
      query: '{ public }',
      authorization,
    })) {
      expect(code).toBeUndefined();
      expect(text).toContain('open to all');
    }
  });
});

describe('B5: A graph that needs a token', () => {
  it.each(['application/graphql-response+json', 'application/json', '*/*'])(
    'answers anonymous callers with 401 and a challenge, as %s',
    async (accept) => {
      const anonymous = await gateway.post({ query: '{ public }' }, { accept });
      const invalid = await gateway.post({ query: '{ public }' }, { accept, authorization: 'Bearer x' });
      expect([anonymous.status, invalid.status]).toEqual([401, 401]);
      expect(anonymous.headers.get('www-authenticate')).toBe(
        'Bearer realm="graph", resource_metadata="http://localhost:4000/.well-known/oauth-protected-resource/graphql"',
      );
      expect(anonymous.body.errors?.[0]?.message).toBe('This graph needs a valid access token.');
    },
  );

  it('has to have an issuer', async () => {
    const settings = 'authentication: { required: true }';
    await expect(startTestGateway({ subgraphs: graph.all, settings })).rejects.toThrow(
      'authentication.required: there is no issuer',
    );
  });
});
