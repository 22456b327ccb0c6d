import { describe, expect, it } from 'vitest';
import { askGraph, dataOf, type GraphResponse } from '../harness/ask-graph.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

const { graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);
const someId = '01941f29-7c00-7a00-8000-0000000000ad';

/** Field with its argument, the argument's name, and where the value is read. */
const bounded: readonly (readonly [string, string, readonly string[]])[] = [
  ['users(limit: $n) { id }', 'limit', ['users']],
  ['users(offset: $n) { id }', 'offset', ['users']],
  ['posts(first: $n) { id }', 'first', ['posts']],
  [`user(id: "${someId}") { posts(first: $n) { id } }`, 'first', ['user', 'posts']],
  ['posts(first: 1) { comments(limit: $n) { id } }', 'limit', ['posts', '0', 'comments']],
];

describe('Arguments that are out of range', () => {
  it.each(bounded)('are BAD_USER_INPUT with the field and the value: %s', async (field, argument, path) => {
    for (const value of [-1, argument === 'offset' ? 10_001 : 101, -2_147_483_648]) {
      const response = await ask(`query ($n: Int) { ${field} }`, { n: value });
      expect(response.errors).toHaveLength(1);
      expect(response.errors?.[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: argument,
        invalidValue: value,
      });
      expect(response.errors?.[0]?.path?.map(String)).toEqual(path);
    }
  });

  it.each(bounded)('are not those at the bounds, nor null: %s', async (field, argument) => {
    for (const value of [0, argument === 'offset' ? 10_000 : 100, null])
      dataOf(await ask(`query ($n: Int) { ${field} }`, { n: value }));
  });

  it('that no type allows are rejected before anything is asked (variables and literals)', async () => {
    const number = await ask('query ($n: Int) { users(limit: $n) { id } }', { n: 1e12 });
    expect(number.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    const literal = await ask('{ users(limit: "3") { id } }');
    expect(literal.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    const absent = await ask('{ user { id } }');
    expect(absent.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});

describe('Ids', () => {
  const strange = [
    '',
    'x',
    '0',
    someId.replace('7a00', '4a00'),
    `${someId}0`,
    "' OR 1=1 --",
    '💥',
    'x'.repeat(5000),
  ];

  it('that are malformed are unknown ids (S-099)', async () => {
    for (const id of strange) {
      const response = await ask('query ($id: ID!) { user(id: $id) { id } post(id: $id) { id } }', { id });
      expect([id.slice(0, 40), response.errors, response.data]).toEqual([
        id.slice(0, 40),
        undefined,
        { user: null, post: null },
      ]);
    }
  });

  it('L1: that hold NUL are rejected before they are looked up', async () => {
    const response = await ask('query ($id: ID!) { user(id: $id) { id } }', { id: '\0' });
    expect(response.errors?.[0]?.extensions.code).toBe('BAD_REQUEST');
  });

  it('are compared whatever their case, or are unknown: the response is never an error', async () => {
    const response = await ask('query ($id: ID!) { user(id: $id) { id } }', { id: someId.toUpperCase() });
    expect(response.errors).toBeUndefined();
  });
});

describe('Errors', () => {
  it('have a message, locations, a path and a code, and nothing of the inside (S-101)', async () => {
    const { errors } = await ask('{\n  users(limit: 1000) { id }\n}');
    expect(errors).toEqual([
      {
        message: expect.any(String) as string,
        locations: [{ line: 2, column: 3 }],
        path: ['users'],
        extensions: { code: 'BAD_USER_INPUT', field: 'limit', invalidValue: 1000 },
      },
    ]);
  });

  it('name at most a few of many faults, in a response that stays small (S-015)', async () => {
    const query = `{ ${Array.from({ length: 10_000 }, (_, index) => `f${index}`).join(' ')} }`;
    const response = await ask(query);
    expect(JSON.stringify(response.errors).length).toBeLessThan(65_536);
    expect(response.data ?? null).toBeNull();
  });
});

describe('Response keys with a meaning elsewhere', () => {
  it('are keys like any other (S-037)', async () => {
    for (const key of [
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      '__proto__',
      'then',
      '_entities',
      'id',
    ]) {
      const response = await ask(`{ users(limit: 1) { ${key}: name } }`);
      const [user] = dataOf(response)['users'] as Record<string, unknown>[];
      expect([key, Object.hasOwn(user ?? {}, key), typeof user?.[key]]).toEqual([key, true, 'string']);
    }
    expect(({} as Record<string, unknown>)['name']).toBeUndefined();
    expect((await ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
  });
});

async function ask(
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<GraphResponse<Readonly<Record<string, unknown>>>> {
  return askGraph(graph, { query, variables, token: await tokens.of('ada') });
}
