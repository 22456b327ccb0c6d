import { createLogger, createMetrics } from '@trellis/runtime';
import { badUserInput, createUserContextVerifier, type UserContext } from '@trellis/subgraph-protocol';
import { createTestUserContext, type TestUserContext } from '@trellis/testkit';
import type { FastifyInstance } from 'fastify';
import { createLocalJWKSet } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildSubgraphServer } from './build-subgraph-server.ts';
import { dateTimeScalar } from './scalars/date-time.ts';
import { jsonScalar } from './scalars/json.ts';

interface Context {
  readonly userContext: UserContext;
}

const ada: UserContext = {
  user: { id: 'ada', roles: ['ADMIN'], tokenIssuedAt: 1 },
  clientId: 'cli',
  scopes: ['read:data'],
};
const resolvers = {
  DateTime: dateTimeScalar,
  JSON: jsonScalar,
  Query: {
    caller: (_root: unknown, _args: object, { userContext }: Context) => userContext.user?.id ?? 'anonymous',
    hang: () => new Promise(() => {}),
    reject: () => Promise.reject(badUserInput('Too long.', 'input.title', 'x')),
    crash: () => Promise.reject(new Error('connect ECONNREFUSED db.internal:5432')),
    echo: (_root: unknown, { value }: { value: unknown }) => value,
  },
  Note: {
    __resolveReference: ({ id }: { id: string }) =>
      id === 'bad' ? Promise.reject(new Error('corrupt page')) : Promise.resolve({ id, text: `note ${id}` }),
  },
};

let keys: TestUserContext;
let development: FastifyInstance;
let production: FastifyInstance;
const log: string[] = [];
const contextsMade = vi.fn(({ userContext }: Context): Context => ({ userContext }));

function build(isDevelopment: boolean): Promise<FastifyInstance> {
  return buildSubgraphServer({
    logger: createLogger({ service: 'notes', destination: { write: (line) => void log.push(line) } }),
    metrics: createMetrics('notes'),
    verifier: createUserContextVerifier({
      subgraph: 'notes',
      keys: createLocalJWKSet({ keys: [...keys.jwks.keys] }),
    }),
    typeDefs: new URL('fixtures/notes.graphql', import.meta.url),
    resolvers,
    createContext: contextsMade,
    development: isDevelopment,
    resolverTimeoutMs: 100,
  });
}

beforeAll(async () => {
  keys = await createTestUserContext();
  development = await build(true);
  production = await build(false);
});
beforeEach(() => {
  log.length = 0;
  contextsMade.mockClear();
});
afterAll(() => Promise.all([development.close(), production.close()]));

interface Asked {
  readonly query: string;
  readonly variables?: object;
}

async function ask(server: FastifyInstance, body: Asked | string, header?: string) {
  const response = await server.inject({
    method: 'POST',
    url: '/graphql',
    headers: {
      'content-type': 'application/json',
      ...(header !== undefined && { 'trellis-user-context': header }),
    },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return {
    status: response.statusCode,
    ...response.json<{
      data?: unknown;
      errors?: { message: string; path?: unknown; extensions: Record<string, unknown> }[];
    }>(),
  };
}

const askAsAda = async (server: FastifyInstance, query: string, variables: object = {}) =>
  ask(server, { query, variables }, await keys.sign('notes', ada));

describe('the signed user context', () => {
  it('names the caller to resolvers', async () => {
    expect(await askAsAda(production, '{ caller }')).toEqual({ status: 200, data: { caller: 'ada' } });
  });

  it('is needed from anonymous callers as well, and names no user', async () => {
    const header = await keys.sign('notes', { scopes: [] });
    expect(await ask(production, { query: '{ caller }' }, header)).toMatchObject({
      data: { caller: 'anonymous' },
    });
  });

  it.each([
    '{ caller }',
    '{ _entities(representations: []) { __typename } }',
    '{ __schema { types { name } } }',
    'x',
  ])('S-041 is demanded for %s: 401, UNAUTHENTICATED, and no resolver runs', async (query) => {
    for (const server of [development, production]) {
      const { status, data, errors } = await ask(server, { query });
      expect([status, data, errors?.map(({ extensions }) => extensions['code'])]).toEqual([
        401,
        undefined,
        ['UNAUTHENTICATED'],
      ]);
    }
    expect(contextsMade).not.toHaveBeenCalled();
  });

  it('S-062 is rejected when it was signed for another subgraph', async () => {
    const { status } = await ask(production, { query: '{ caller }' }, await keys.sign('posts', ada));
    expect(status).toBe(401);
  });

  it('is rejected when another key signed it', async () => {
    const untrusted = await createTestUserContext();
    const { status } = await ask(production, { query: '{ caller }' }, await untrusted.sign('notes', ada));
    expect(status).toBe(401);
  });

  it.each(['{ _service { sdl } }', '{ __typename }', 'query Q { a: __typename _service { sdl } }'])(
    'is not needed for %s in development alone',
    async (query) => {
      expect((await ask(development, { query })).status).toBe(200);
      expect((await ask(production, { query })).status).toBe(401);
    },
  );

  it('is needed as soon as anything else is asked for beside these', async () => {
    for (const query of [
      '{ __typename caller }',
      '{ ...F } fragment F on Query { caller }',
      '{ ... { caller } }',
    ]) {
      expect((await ask(development, { query })).status).toBe(401);
    }
  });
});

describe('errors', () => {
  it('that were written for clients arrive whole', async () => {
    const { data, errors } = await askAsAda(production, '{ reject }');
    expect(data).toEqual({ reject: null });
    expect(errors).toEqual([
      {
        message: 'Too long.',
        locations: [{ line: 1, column: 3 }],
        path: ['reject'],
        extensions: { code: 'BAD_USER_INPUT', field: 'input.title', invalidValue: 'x' },
      },
    ]);
  });

  it('S-101 that just happened are logged whole, and say nothing but where', async () => {
    const result = await askAsAda(production, '{ crash }');
    expect(JSON.stringify(result)).not.toMatch(/ECONNREFUSED|db\.internal|stack/);
    const [error] = result.errors ?? [];
    expect(error).toMatchObject({ message: 'Something failed inside.', path: ['crash'] });
    expect(error?.extensions['code']).toBe('INTERNAL_SERVER_ERROR');
    expect(log.join('')).toContain('ECONNREFUSED');
    expect(log.join('')).toContain(String(error?.extensions['incident']));
  });

  it('carry a stack trace in development alone', async () => {
    const { errors } = await askAsAda(development, '{ crash }');
    expect(errors?.[0]?.extensions['stacktrace']).toEqual(
      expect.arrayContaining([expect.stringContaining('at ')]),
    );
    expect(errors?.[0]?.message).toBe('Something failed inside.');
  });

  it.each([
    ['{ caller', 400, 'GRAPHQL_PARSE_ERROR'],
    ['{ nothing }', 400, 'GRAPHQL_VALIDATION_FAILED'],
    ['query A { caller } query B { caller }', 400, 'GRAPHQL_VALIDATION_FAILED'],
    ['', 400, 'GRAPHQL_VALIDATION_FAILED'],
  ])('for %j: %d %s', async (query, status, code) => {
    const result = await askAsAda(production, query);
    expect([result.status, result.errors?.[0]?.extensions['code']]).toEqual([status, code]);
  });

  it.each([
    ['a variable', 'query ($at: DateTime) { echo(at: $at) }', 'at'],
    ['a field of a variable', 'query ($in: Span) { echo(in: $in) }', 'in.from'],
  ])('name %s that does not fit, as BAD_USER_INPUT', async (_what, query, field) => {
    const result = await askAsAda(production, query, { at: 'tomorrow', in: { from: 'tomorrow' } });
    expect([result.status, result.errors?.[0]?.extensions]).toEqual([
      400,
      { code: 'BAD_USER_INPUT', field, invalidValue: 'tomorrow' },
    ]);
  });

  it.each([
    ['an argument', '{ echo(at: "tomorrow") }', 'at'],
    [
      'an input field',
      '{ caller other: echo(value: [1, {a: "tomorrow"}], in: {from: "tomorrow"}) }',
      'in.from',
    ],
  ])('name the place of a literal that does not fit, %s', async (_what, query, field) => {
    const { errors } = await askAsAda(production, query);
    expect(errors?.map(({ extensions }) => extensions)).toEqual([
      { code: 'BAD_USER_INPUT', field, invalidValue: 'tomorrow' },
    ]);
  });

  it('name a variable of a built-in type that does not fit', async () => {
    const { errors } = await askAsAda(production, 'query ($n: Int!) { count(n: $n) }', { n: 'many' });
    expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'n' });
  });

  it('have the shape of GraphQL also where the body is no JSON', async () => {
    const { status, errors } = await ask(production, '{"query":');
    expect([status, errors?.length]).toEqual([400, 1]);
  });

  it('of one entity leave the others alone', async () => {
    const { data, errors } = await askAsAda(
      production,
      'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Note { text } } }',
      { r: ['a', 'bad', 'c'].map((id) => ({ __typename: 'Note', id })) },
    );
    expect(data).toEqual({ _entities: [{ text: 'note a' }, null, { text: 'note c' }] });
    expect(errors?.map(({ path }) => path)).toEqual([['_entities', 1]]);
  });

  it('Limits: a resolver that hangs fails its own field while the rest arrives', async () => {
    const { data, errors } = await askAsAda(production, '{ hang caller }');
    expect(data).toEqual({ hang: null, caller: 'ada' });
    expect(errors?.[0]).toMatchObject({
      message: 'Query.hang took longer than 100 ms.',
      path: ['hang'],
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    });
  });
});

describe('hardening', () => {
  it('S-021 answers introspection in development alone', async () => {
    const query = '{ __schema { queryType { name } } }';
    expect((await askAsAda(development, query)).status).toBe(200);
    expect((await askAsAda(production, query)).errors?.[0]?.extensions['code']).toBe(
      'GRAPHQL_VALIDATION_FAILED',
    );
  });

  it('S-022 suggests no field in production', async () => {
    expect((await askAsAda(production, '{ callr }')).errors?.[0]?.message).not.toContain('caller');
  });

  it('S-101 has no page for browsers', async () => {
    const response = await development.inject({ url: '/graphql', headers: { accept: 'text/html' } });
    expect(response.statusCode).toBe(404);
  });

  it('answers no batch and no persisted query', async () => {
    const header = await keys.sign('notes', ada);
    expect((await ask(production, JSON.stringify([{ query: '{ caller }' }]), header)).status).toBe(400);
    const hash = { extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } };
    const { errors } = await ask(production, JSON.stringify(hash), header);
    expect(errors?.[0]?.extensions['code']).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it('S-037 takes members named __proto__ and constructor for data', async () => {
    const header = await keys.sign('notes', ada);
    const body = `{"query":"query ($v: JSON) { echo(value: $v) }","variables":{"v":{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}}}`;
    const response = await production.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json', 'trellis-user-context': header },
      payload: body,
    });
    expect(response.body.trim()).toBe(
      '{"data":{"echo":{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}}}',
    );
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
