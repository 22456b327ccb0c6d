import { latencyBudgetMs } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { askGraph, postGraph, type GraphResult } from '../harness/ask-graph.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

const { graph, gateway, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);

describe('Limits: on in the platform without any configuration', () => {
  it('allow a depth of 10 and reject 11 (S-008)', async () => {
    expect(await limitOf(nested(10))).toBeUndefined();
    expect(await limitOf(nested(11))).toEqual({ name: 'depth', maximum: 10, actual: 11 });
    const fragments = `{ ...A } fragment A on Query ${nested(11)}`;
    expect(await limitOf(fragments)).toEqual({ name: 'depth', maximum: 10, actual: 11 });
  });

  it('allow 10 aliases and reject 11, in fragments too (S-009)', async () => {
    const aliases = (count: number): string =>
      Array.from({ length: count }, (_, index) => `a${index}: __typename`).join(' ');
    expect(await limitOf(`{ ${aliases(10)} }`)).toBeUndefined();
    expect(await limitOf(`{ ${aliases(11)} }`)).toEqual({ name: 'aliases', maximum: 10, actual: 11 });
    const twice = `{ users { ...A } posts { author { ...A } } } fragment A on User { ${aliases(6).replaceAll('__typename', 'name')} }`;
    expect(await limitOf(twice)).toEqual({ name: 'aliases', maximum: 10, actual: 12 });
  });

  it('multiply by list arguments, written or as variables (S-010)', async () => {
    const query =
      'query ($n: Int) { users(limit: $n) { posts(first: $n) { id comments(limit: 10) { id } } } }';
    expect(await limitOf(query, { n: 3 })).toBeUndefined();
    expect(await limitOf(query, { n: 100 })).toMatchObject({ name: 'cost', maximum: 10_000 });
    expect(await limitOf(query.replaceAll('$n)', '100)').replace('($n: Int)', ''))).toMatchObject({
      name: 'cost',
    });
  });

  it('reject what would harm parser and planner, in good time (S-001, S-005, S-006, S-007)', async () => {
    const chain = Array.from(
      { length: 10_000 },
      (_, index) => `fragment F${index} on Query { ...F${index + 1} }`,
    );
    const bomb = Array.from(
      { length: 30 },
      (_, index) => `fragment B${index} on Query { ...B${index + 1} ...B${index + 1} }`,
    );
    const harmful = [
      `${'{a'.repeat(5000)}${'}'.repeat(5000)}`,
      `{ user(id: ${'['.repeat(50_000)}${']'.repeat(50_000)}) { id } }`,
      `{ ...F0 } ${chain.join(' ')} fragment F10000 on Query { __typename }`,
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
      `{ ...B0 } ${bomb.join(' ')} fragment B30 on Query { __typename }`,
    ];
    for (const query of harmful) {
      const startedAt = Date.now();
      const { errors, status } = await askGraph(graph, { query, token: await tokens.of('ada') });
      expect([query.slice(0, 20), status]).toEqual([query.slice(0, 20), 400]);
      expect(errors?.[0]?.extensions.code).toMatch(
        /^(GRAPHQL_PARSE_ERROR|GRAPHQL_VALIDATION_FAILED|QUERY_TOO_COMPLEX)$/,
      );
      expect(Date.now() - startedAt).toBeLessThan(latencyBudgetMs(2000));
    }
    expect((await fetch(`${gateway}/health/live`)).status).toBe(200);
  });

  it('hold for each operation of a batch', async () => {
    const response = await postGraph(graph, [{ query: '{ __typename }' }, { query: nested(11) }]);
    const [good, deep] = (await response.json()) as GraphResult<unknown>[];
    expect(good).toEqual({ data: { __typename: 'Query' } });
    expect(deep?.errors?.[0]?.extensions.code).toBe('QUERY_TOO_COMPLEX');
  });

  async function limitOf(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const { errors, status } = await askGraph(graph, { query, variables, token: await tokens.of('ada') });
    if (!errors) return undefined;
    expect([status, errors[0]?.extensions.code]).toEqual([400, 'QUERY_TOO_COMPLEX']);
    return errors[0]?.extensions['limit'];
  }
});

describe('Introspection', () => {
  it('is answered in development without a token, and shows what is documented', async () => {
    const { data } = await askGraph<{ __type: { fields: { name: string; description: string }[] } }>(graph, {
      query: '{ __type(name: "Post") { fields { name description } } }',
    });
    const fields = data?.__type.fields ?? [];
    expect(fields.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'id',
        'title',
        'body',
        'published',
        'author',
        'tags',
        'comments',
        'createdAt',
        'updatedAt',
        'commentCount',
      ]),
    );
    for (const { name, description } of fields) expect([name, description?.length > 0]).toEqual([name, true]);
  });

  it('shows nothing of how subgraphs are joined (S-040, S-042)', async () => {
    const { data } = await askGraph<{
      __schema: { types: { name: string }[]; queryType: { fields: { name: string }[] } };
    }>(graph, {
      query: '{ __schema { types { name } queryType { fields { name } } } }',
    });
    const names = [...(data?.__schema.types ?? []), ...(data?.__schema.queryType.fields ?? [])].map(
      ({ name }) => name,
    );
    expect(names).toEqual(expect.arrayContaining(['User', 'Post', 'TextComment', 'users', 'me']));
    expect(names.filter((name) => /^_[^_]|^join__|^link__/.test(name))).toEqual([]);
    for (const query of ['{ _service { sdl } }', '{ _entities(representations: []) { __typename } }'])
      expect((await askGraph(graph, { query })).errors?.[0]?.extensions.code).toBe(
        'GRAPHQL_VALIDATION_FAILED',
      );
  });
});

/** A query whose deepest leaf has the given depth, counted from 1 at the root. */
function nested(depth: number): string {
  const fields = [
    'posts(first: 1)',
    ...Array.from({ length: depth - 2 }, (_, index) => (index % 2 === 0 ? 'author' : 'posts(first: 1)')),
  ];
  return `{ ${fields.join(' { ')} { id ${'}'.repeat(fields.length)} }`;
}
