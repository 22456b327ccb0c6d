import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { sha256 } from '../operation/document/sha256.ts';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startSubgraph } from '../testing/subgraph-server.ts';
import { startTestGateway, type GraphBody, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

let graph: LibraryGraph;
let issuer: TokenIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  issuer = await startTokenIssuer();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    environment: issuer.environment,
    settings: 'authorization: { policies: { vetted: { claim: groups, value: vetted } } }',
  });
});

afterAll(async () => {
  await gateway.close();
  await issuer.close();
  await graph.close();
});

beforeEach(() => graph.forget());

type Claims = Readonly<Record<string, unknown>>;
const NO_TOKEN = undefined;

async function ask(query: string, claims: Claims | undefined, variables: Claims = {}): Promise<GraphBody> {
  const headers = claims && { authorization: `Bearer ${await issuer.sign(claims)}` };
  return (await gateway.post({ query, variables }, headers)).body;
}

function codes({ errors = [] }: GraphBody): readonly string[] {
  return errors.map(({ path, extensions }) => `${path?.join('.')} ${String(extensions['code'])}`);
}

describe('Authorization: @authenticated (imported as @login)', () => {
  it('S-091 guards a field: null with its path and code, and the rest is answered', async () => {
    const body = await ask('{ public me { name } }', NO_TOKEN);
    expect(body.data).toEqual({ public: 'open to all', me: null });
    expect(codes(body)).toEqual(['me UNAUTHENTICATED']);
    expect(graph.people.received.map(({ query }) => query).join()).not.toContain('me');
    expect((await ask('{ me { name } }', { scope: '' })).data).toEqual({ me: { name: 'Ada' } });
  });

  it('guards whatever returns a guarded enum', async () => {
    const query = '{ user(id: "user-1") { name clearance } }';
    const rejected = await ask(query, NO_TOKEN);
    expect(rejected.data).toEqual({ user: { name: 'Ada', clearance: null } });
    expect(codes(rejected)).toEqual(['user.clearance UNAUTHENTICATED']);
    expect((await ask(query, {})).data).toEqual({ user: { name: 'Ada', clearance: 'LOW' } });
  });

  it('asks no subgraph where nothing may be seen', async () => {
    const body = await ask('{ me { name } }', NO_TOKEN);
    expect(body.data).toEqual({ me: null });
    expect(graph.requests()).toBe(0);
  });
});

describe('Authorization: @requiresScopes', () => {
  const spellings: readonly (readonly [string, string])[] = [
    ['directly', '{ user(id: "user-1") { name email } }'],
    ['under an alias', '{ user(id: "user-1") { name email: email } }'],
    ['in a named fragment', '{ user(id: "user-1") { ...f } } fragment f on User { name email }'],
    ['in an inline fragment', '{ user(id: "user-1") { name ... on User { ... { email } } } }'],
  ];

  it.each(spellings)('S-091 %s: none, wrong and right scopes', async (_name, query) => {
    const anonymous = await ask(query, NO_TOKEN);
    expect(anonymous.data).toEqual({ user: { name: 'Ada', email: null } });
    expect(codes(anonymous)).toEqual(['user.email UNAUTHENTICATED']);

    const wrong = await ask(query, { scope: 'read:data' });
    expect(wrong.data).toEqual({ user: { name: 'Ada', email: null } });
    expect(codes(wrong)).toEqual(['user.email FORBIDDEN']);

    for (const scope of ['read:profile', 'admin', 'read:data read:profile'])
      expect(await ask(query, { scope })).toEqual({
        data: { user: { name: 'Ada', email: 'ada@example.com' } },
      });
  });

  it('S-091 reports every place of a list with its path', async () => {
    const body = await ask('{ people(limit: 2) { contact: email } }', NO_TOKEN);
    expect(codes(body)).toEqual(['people.0.contact UNAUTHENTICATED', 'people.1.contact UNAUTHENTICATED']);
  });

  it('S-091 guards a field that is reached over an entity', async () => {
    const body = await ask('{ books(first: 1) { author { name email } } }', { scope: '' });
    expect(body.data).toEqual({ books: [{ author: { name: 'Ada', email: null } }] });
    expect(codes(body)).toEqual(['books.0.author.email FORBIDDEN']);
  });

  it('wants all scopes of one of the sets', async () => {
    const query = '{ secrets { text } }';
    expect(codes(await ask(query, { scope: 'read:secret' }))).toEqual(['secrets FORBIDDEN']);
    expect(await ask(query, { scope: 'read:data read:secret' })).toEqual({
      data: { secrets: [{ text: 'hush' }] },
    });
  });

  it.each([
    ['', 'This field needs the scopes read:secret and read:data.'],
    ['read:data', 'This field needs the scope read:secret.'],
    ['read:secret other', 'This field needs the scope read:data.'],
  ])('A7: of the scopes %j names those that are missing, and only those', async (scope, message) => {
    const body = await ask('{ secrets { text } }', { scope });
    expect(body.errors?.[0]?.message).toBe(message);
  });

  it('G14: a denial names what the caller at hand lacks, in any order of callers', async () => {
    const letters = await startSubgraph({
      name: 'letters',
      typeDefs: gql`
        extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@requiresScopes"])
        type Query {
          letter: Letter @requiresScopes(scopes: [["as"]])
        }
        type Letter @requiresScopes(scopes: [["bs"]]) {
          text: String
        }
      `,
      resolvers: { Query: { letter: () => ({ text: 'sealed' }) } },
    });
    const { issuer: TOKEN_ISSUER, audience: TOKEN_AUDIENCE, jwksUrl: TOKEN_JWKS_URL } = issuer;
    const environment = { TOKEN_ISSUER, TOKEN_AUDIENCE, TOKEN_JWKS_URL };
    const guarded = await startTestGateway({ subgraphs: [letters], environment });
    const messages: unknown[] = [];
    for (const scope of ['', 'bs', 'as']) {
      const headers = { authorization: `Bearer ${await issuer.sign({ scope })}` };
      const { body } = await guarded.post({ query: '{ letter { text } }' }, headers);
      messages.push(body.errors?.[0]?.message);
    }
    expect(messages).toEqual([
      'This field needs the scopes as and bs.',
      'This field needs the scope as.',
      'This field needs the scope bs.',
    ]);
    await guarded.close();
    await letters.close();
  });

  it('S-091 judges each element of a batch for itself', async () => {
    const headers = { authorization: `Bearer ${await issuer.sign({ scope: 'read:profile' })}` };
    const batch = [{ query: '{ user(id: "user-1") { email } }' }, { query: '{ secrets { text } }' }];
    const { bodies } = await gateway.post(batch, headers);
    expect(bodies[0]).toEqual({ data: { user: { email: 'ada@example.com' } } });
    expect(codes(bodies[1] ?? {})).toEqual(['secrets FORBIDDEN']);
  });

  it('keeps the responses of one document apart by rights', async () => {
    const query = '{ user(id: "user-2") { email } }';
    const [first, second, third] = await Promise.all([
      ask(query, { scope: 'read:profile' }),
      ask(query, { scope: '' }),
      ask(query, NO_TOKEN),
    ]);
    expect(first.data).toEqual({ user: { email: 'ed@example.com' } });
    expect(codes(second)).toEqual(['user.email FORBIDDEN']);
    expect(codes(third)).toEqual(['user.email UNAUTHENTICATED']);
  });
});

describe('Authorization: on every transport', () => {
  const query = '{ user(id: "user-1") { name email } }';
  const address = 'ada@example.com';
  const preflight = { 'apollo-require-preflight': '1' };

  async function text(path: string, headers: Record<string, string>, body?: object): Promise<string> {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const type = { 'content-type': 'application/json', ...headers };
    const response = await fetch(`${gateway.url}${path}`, { ...init, headers: body ? type : headers });
    return response.text();
  }

  /** The first event of a stream that goes on. */
  async function firstEvent(headers: Record<string, string>, body: object): Promise<string> {
    const leave = new AbortController();
    const response = await fetch(`${gateway.url}/graphql/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: leave.signal,
    });
    let received = '';
    for await (const chunk of response.body ?? []) {
      received += Buffer.from(chunk as Uint8Array).toString();
      if (/data: .+\n\n/.test(received)) break;
    }
    leave.abort();
    return received;
  }

  const hash = sha256(query);
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
  const deferred = '{ user(id: "user-1") { name ... @defer { email } } }';
  it.each<[string, (headers: Record<string, string>) => Promise<string>]>([
    ['GET', (headers) => text(`/graphql?${new URLSearchParams({ query })}`, { ...preflight, ...headers })],
    [
      'a persisted query',
      async (headers) => {
        await gateway.post({ query, extensions });
        return text('/graphql', headers, { query: '', extensions });
      },
    ],
    ['a batch', (headers) => text('/graphql', headers, [{ query: '{ public }' }, { query }])],
    [
      '@defer',
      (headers) =>
        text('/graphql', { accept: 'multipart/mixed; deferSpec=20220824', ...headers }, { query: deferred }),
    ],
    ['server-sent events', (headers) => text('/graphql/stream', headers, { query })],
    ['@live', (headers) => firstEvent(headers, { query: `query @live ${query}` })],
  ])('S-091 by %s: none, wrong and right scopes', async (_transport, result) => {
    const bearer = async (scope: string): Promise<Record<string, string>> => ({
      authorization: `Bearer ${await issuer.sign({ scope })}`,
    });
    const [none, wrong, right] = [
      await result({}),
      await result(await bearer('read:data')),
      await result(await bearer('read:profile')),
    ];
    expect(none).toContain('UNAUTHENTICATED');
    expect(wrong).toContain('FORBIDDEN');
    expect([none, wrong, right].map((received) => received.includes(address))).toEqual([false, false, true]);
    expect([none, wrong, right].every((received) => received.includes('"Ada"'))).toBe(true);
    expect(right).not.toContain('"errors"');
  });
});

describe('Authorization: @policy', () => {
  it.each<[string, Claims, boolean]>([
    ['the role of one set', { roles: ['ADMIN'] }, true],
    ['all of another set, one of them by the operator', { roles: ['EDITOR'], groups: ['x', 'vetted'] }, true],
    ['a part of a set', { roles: ['EDITOR'] }, false],
    ['a claim of another kind', { roles: 'EDITOR', groups: 'not vetted' }, false],
    ['no role at all', { roles: undefined }, false],
  ])('S-091 %s', async (_name, claims, allowed) => {
    const body = await ask('{ staff { name } }', claims);
    expect(body.data).toEqual({ staff: allowed ? { name: 'Ed' } : null });
    expect(codes(body)).toEqual(allowed ? [] : ['staff FORBIDDEN']);
  });
});

describe('Authorization: what is reached indirectly', () => {
  it('S-092 an interface field is guarded where one implementation guards it', async () => {
    const body = await ask('{ shelf { title note } }', { scope: '' });
    expect(body.data).toEqual({
      shelf: [
        { title: 'Book 1', note: null },
        { title: 'Atlas', note: null },
      ],
    });
    expect(codes(body)).toEqual(['shelf.0.note FORBIDDEN', 'shelf.1.note FORBIDDEN']);
    expect((await ask('{ shelf { note } }', { scope: 'read:notes' })).errors).toBeUndefined();
  });

  it('S-092 a fragment on an unguarded implementation is open', async () => {
    const body = await ask('{ shelf { title ... on Map { note } ... on Book { remark: note } } }', {
      scope: '',
    });
    expect(body.data).toEqual({
      shelf: [
        { title: 'Book 1', remark: null },
        { title: 'Atlas', note: 'folds' },
      ],
    });
    expect(codes(body)).toEqual(['shelf.0.remark FORBIDDEN']);
  });

  const ofUnion: readonly string[] = [
    '{ finds { __typename } }',
    '{ finds { ... on Vault { __typename } } }',
    '{ finds { kind: __typename ... on Book { title } ... on Vault { safe: title } } }',
    '{ finds { ... on Book { title } } }',
    '{ finds { ...f } } fragment f on Found { ... on Vault { __typename title } }',
  ];
  it.each(ofUnion)('G14: a guarded member of a union shows nothing, not even its name: %s', async (query) => {
    for (let round = 0; round < 12; round += 1) {
      const body = await ask(query, NO_TOKEN); // later ones are written by compiled code
      expect(codes(body)).toEqual(['finds.2 UNAUTHENTICATED']);
      expect(body.data?.['finds']).toMatchObject([{}, {}, null]);
      expect(body.errors?.[0]?.message).not.toContain('Vault');
    }
    const allowed = await ask(query, {});
    expect(allowed.errors).toBeUndefined();
    expect(allowed.data).toEqual({ finds: [{}, {}, {}].map(() => expect.any(Object)) });
  });

  it('G14: where no null may stand instead of it, the null rises as for a field', async () => {
    const body = await ask('{ public search { __typename } }', NO_TOKEN);
    expect([body.data, codes(body)]).toEqual([null, ['search.2 UNAUTHENTICATED']]);
  });

  it('S-092 a field that is fed with guarded data is guarded like it', async () => {
    const query = '{ user(id: "user-1") { contact } }';
    expect(codes(await ask(query, { scope: '' }))).toEqual(['user.contact FORBIDDEN']);
    expect((await ask(query, { scope: 'read:profile' })).data).toEqual({
      user: { contact: 'mailto:ada@example.com' },
    });
  });

  it('leaves __typename and introspection open', async () => {
    const body = await ask('{ __typename __schema { queryType { name } } me { __typename } }', NO_TOKEN);
    expect(body.data).toMatchObject({
      __typename: 'Query',
      __schema: { queryType: { name: 'Query' } },
      me: null,
    });
  });
});

describe('Authorization: without an issuer', () => {
  it('looks at no token and rejects what is guarded', async () => {
    const bare = await startTestGateway({ subgraphs: graph.all });
    try {
      const result = await bare.post(
        { query: '{ public me { name } }' },
        { authorization: 'Bearer whatever' },
      );
      expect(result.body.data).toEqual({ public: 'open to all', me: null });
      expect(codes(result.body)).toEqual(['me UNAUTHENTICATED']);
    } finally {
      await bare.close();
    }
  });
});
