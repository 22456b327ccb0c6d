import { describe, expect, it } from 'vitest';
import { askGraph, dataOf, type GraphResponse } from '../harness/ask-graph.ts';
import { demoPeople } from '../harness/demo-people.ts';
import { otherAudience, sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

const { graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);
const roots = ['users { id }', 'user(id: "x") { id }', 'posts { id }', 'post(id: "x") { id }', 'me { id }'];

describe('Tokens and scopes', () => {
  it('answer what is left when a field may not be seen, with its path (partial results)', async () => {
    const { data, errors, status } = await askGraph(graph, {
      query: '{ __typename user(id: "x") { id } __schema { queryType { name } } }',
    });
    expect(status).toBe(200);
    expect(data).toEqual({ __typename: 'Query', user: null, __schema: { queryType: { name: 'Query' } } });
    expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['user'], 'UNAUTHENTICATED'],
    ]);
  });

  it('are needed for every root field, however it is written (S-091)', async () => {
    for (const root of roots) {
      for (const query of [
        `{ ${root} }`,
        `{ alias: ${root} }`,
        `{ ...F } fragment F on Query { ${root} }`,
        `{ ... on Query { ... { ${root} } } }`,
        `query ($no: Boolean = false) { ${root.replace(' {', ' @skip(if: $no) {')} }`,
      ]) {
        const response = await askGraph(graph, { query });
        expect([query, codesOf(response)]).toEqual([query, ['UNAUTHENTICATED']]);
      }
    }
  });

  it('let only read:data read data: another scope is FORBIDDEN (A-146)', async () => {
    const token = await tokens.of('ada', 'openid profile');
    for (const root of roots)
      expect(codesOf(await askGraph(graph, { query: `{ ${root} }`, token }))).toEqual(['FORBIDDEN']);
  });

  it('let read:profile read me and e-mail addresses, and the rest goes on without it', async () => {
    const token = await tokens.of('ada', 'openid read:data');
    const response = await askGraph<{ me: null; users: { name: string; email: null }[] }>(graph, {
      query: '{ me { id } users(limit: 1) { name email } }',
      token,
    });
    expect(response.status).toBe(200);
    expect(response.data).toEqual({ me: null, users: [{ name: expect.any(String) as string, email: null }] });
    expect(new Set(codesOf(response))).toEqual(new Set(['FORBIDDEN']));
    expect(
      response.errors?.map(({ path }) => path?.filter((step) => typeof step === 'string' && step !== '@')),
    ).toEqual(expect.arrayContaining([['me'], ['users', 'email']]));
  });

  it('for another resource are none at all (A-143)', async () => {
    const token = await tokens.of('ada', 'openid read:data', { resource: otherAudience });
    const response = await askGraph(graph, { query: '{ users(limit: 1) { id } }', token });
    expect([response.status, ...codesOf(response)]).toEqual([401, 'UNAUTHENTICATED']);
    expect(response.data ?? null).toBeNull();
  });

  it('come by the Bearer scheme in the header, in whatever case, and by no other way', async () => {
    const token = await tokens.of('ada');
    const query = '{ me { name } }';
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect(
        codesOf(await askGraph(graph, { query, headers: { authorization: `${scheme} ${token}` } })),
      ).toEqual([]);
    for (const authorization of [
      token,
      `Basic ${token}`,
      'Bearer',
      `Bearer ${token} ${token}`,
      `Bearer ${token},x`,
    ])
      expect(codesOf(await askGraph(graph, { query, headers: { authorization } }))).toEqual([
        'UNAUTHENTICATED',
      ]);
    const inCookie = await askGraph(graph, { query, headers: { cookie: `access_token=${token}` } });
    expect(codesOf(inCookie)).toEqual(['UNAUTHENTICATED']);
    const inQuery = await askGraph(`${graph}?access_token=${token}`, { query });
    expect(codesOf(inQuery)).toEqual(['UNAUTHENTICATED']);
  });
});

describe('User.email', () => {
  const query =
    'query ($id: ID!) { me { id email role } user(id: $id) { email } users(limit: 100) { id email } }';

  interface Emails {
    readonly me: { readonly id: string; readonly email: string; readonly role: string };
    readonly user: { readonly email: string | null };
    readonly users: readonly { readonly id: string; readonly email: string | null }[];
  }

  it('is shown to its owner alone, and to administrators', async () => {
    const ada = await idOf('ada');
    for (const name of ['vi', 'ed'] as const) {
      const { me, user, users } = await read(name, ada);
      expect(me).toMatchObject({ email: demoPeople[name].email, role: demoPeople[name].role });
      expect(user.email).toBeNull();
      expect(
        users.filter(({ id }) => id !== me.id && users.length > 1).every(({ email }) => email === null),
      ).toBe(true);
      expect(users.find(({ id }) => id === me.id)?.email).toBe(demoPeople[name].email);
    }
    const asAdministrator = await read('ada', await idOf('vi'));
    expect(asAdministrator.user.email).toBe(demoPeople.vi.email);
    expect(asAdministrator.users.every(({ email }) => email?.includes('@'))).toBe(true);
  });

  it('is left out by @include where it is not wanted', async () => {
    const response = await askGraph<{ me: object }>(graph, {
      query: 'query ($includeEmail: Boolean!) { me { name email @include(if: $includeEmail) } }',
      variables: { includeEmail: false },
      token: await tokens.of('vi'),
    });
    expect(Object.keys(dataOf(response).me)).toEqual(['name']);
  });

  async function read(name: keyof typeof demoPeople, id: string): Promise<Emails> {
    return dataOf(await askGraph<Emails>(graph, { query, variables: { id }, token: await tokens.of(name) }));
  }
});

async function idOf(name: keyof typeof demoPeople): Promise<string> {
  const response = await askGraph<{ me: { id: string } }>(graph, {
    query: '{ me { id } }',
    token: await tokens.of(name),
  });
  return dataOf(response).me.id;
}

function codesOf({ errors = [] }: GraphResponse<unknown>): readonly string[] {
  return errors.map(({ extensions }) => extensions.code);
}
