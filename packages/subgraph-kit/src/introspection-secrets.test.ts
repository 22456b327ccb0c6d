import { createLogger, createMetrics } from '@trellis/runtime';
import { createUserContextVerifier, INTROSPECTION_SECRET_HEADER } from '@trellis/subgraph-protocol';
import { createTestUserContext, type TestUserContext } from '@trellis/testkit';
import { createLocalJWKSet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSubgraphServer, type SubgraphServer } from './build-subgraph-server.ts';

const SECRETS = ['fcU0pVx4mX7Q0cJ1Yq9W3w', '8d1c6fb2a9e04753bd1f60c2e7a9345b'];
const SDL = '{ _service { sdl } }';

let keys: TestUserContext;
let open: SubgraphServer;
let closed: SubgraphServer;

function build(introspectionSecrets?: readonly string[]): Promise<SubgraphServer> {
  return buildSubgraphServer({
    logger: createLogger({ service: 'notes', destination: { write: () => undefined } }),
    metrics: createMetrics('notes'),
    verifier: createUserContextVerifier({
      subgraph: 'notes',
      keys: createLocalJWKSet({ keys: [...keys.jwks.keys] }),
    }),
    typeDefs: new URL('fixtures/notes.graphql', import.meta.url),
    resolvers: { Query: { caller: () => 'anyone' } },
    createContext: ({ userContext }) => ({ userContext }),
    development: false,
    introspectionSecrets,
  });
}

beforeAll(async () => {
  keys = await createTestUserContext();
  [open, closed] = await Promise.all([build(SECRETS), build()]);
});
afterAll(() => Promise.all([open.close(), closed.close()]));

async function ask(server: SubgraphServer, query: string, secret?: string | string[]) {
  const headers = {
    'content-type': 'application/json',
    ...(secret !== undefined && { [INTROSPECTION_SECRET_HEADER]: secret }),
  };
  return server.inject({ method: 'POST', url: '/graphql', headers, payload: JSON.stringify({ query }) });
}

describe('An introspection secret in production', () => {
  it.each(SECRETS)('opens the schema to who sends it, the newest or one of before', async (secret) => {
    const response = await ask(open, SDL, secret);
    expect([response.statusCode, response.body]).toEqual([200, expect.stringContaining('type Query')]);
  });

  it.each([
    ['another one', 'gcU0pVx4mX7Q0cJ1Yq9W3w'],
    ['a part of it', 'fcU0pVx4mX7Q0cJ1Yq9W3'],
    ['both at once', SECRETS.join(' ')],
    ['none', undefined],
    ['an empty one', ''],
    ['it twice', [SECRETS[0] ?? '', SECRETS[0] ?? '']],
  ])('opens nothing to who sends %s', async (_title, secret) => {
    expect((await ask(open, SDL, secret)).statusCode).toBe(401);
  });

  it.each(['{ caller }', '{ __schema { types { name } } }', '{ _service { sdl } caller }'])(
    'opens no data: %s',
    async (query) => {
      expect((await ask(open, query, SECRETS[0])).statusCode).toBe(401);
    },
  );

  it.each(['', 'undefined', SECRETS[0]])('has no default: %j opens nothing without one', async (secret) => {
    expect((await ask(closed, SDL, secret)).statusCode).toBe(401);
  });

  it.each(['', 'fcU0pVx4mX7Q0cJ1Yq9W3', 'a'.repeat(40)])(
    'has at least 128 random bits: %j is none',
    async (secret) => {
      await expect(build([secret])).rejects.toThrow(/^An introspection secret must /);
    },
  );
});
