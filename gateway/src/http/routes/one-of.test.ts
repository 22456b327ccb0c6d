import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type GatewayResponse, type TestGateway } from '../../testing/test-gateway.ts';

let subgraph: SubgraphServer;
let gateway: TestGateway;
beforeAll(async () => {
  const echo = (_: unknown, args: object): string => JSON.stringify(args);
  subgraph = await startSubgraph({
    name: 'users',
    typeDefs: gql`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
      directive @oneOf on INPUT_OBJECT
      type Query {
        user(by: UserBy!): String
        users(by: [UserBy!]): String
      }
      input UserBy @oneOf {
        id: ID
        name: String
        at: Place
      }
      input Place {
        by: UserBy
        row: Int
      }
    `,
    resolvers: { Query: { user: echo, users: echo } },
  });
  gateway = await startTestGateway({ subgraphs: [subgraph], settings: 'introspection: true' });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});

const code = ({ body }: GatewayResponse): unknown => body.errors?.[0]?.extensions['code'];
const send = (query: string, variables?: unknown): Promise<GatewayResponse> =>
  gateway.post({ query, variables });

describe('GraphQL specification, September 2025, §3.10.1 "OneOf Input Objects"', () => {
  it.each([
    ['{ user(by: { id: "1" }) }', undefined, { by: { id: '1' } }],
    ['query ($by: UserBy!) { user(by: $by) }', { by: { name: 'Ada' } }, { by: { name: 'Ada' } }],
    ['query ($id: ID!) { user(by: { id: $id }) }', { id: '1' }, { by: { id: '1' } }],
    [
      'query ($row: Int) { user(by: { at: { by: { id: "1" }, row: $row } }) }',
      { row: 1 },
      { by: { at: { by: { id: '1' }, row: 1 } } },
    ],
  ])('one field reaches the subgraph: %s', async (query, variables, received) => {
    const { body } = await send(query, variables);
    expect(JSON.parse(String(body.data?.['user']))).toEqual(received);
  });

  it('each item of a list chooses for itself', async () => {
    const { body } = await send('query ($by: [UserBy!]) { users(by: $by) }', {
      by: [{ id: '1' }, { name: 'Bo' }],
    });
    expect(JSON.parse(String(body.data?.['users']))).toEqual({ by: [{ id: '1' }, { name: 'Bo' }] });
  });

  it.each([
    '{ user(by: {}) }',
    '{ user(by: { id: "1", name: "Ada" }) }',
    '{ user(by: { id: null }) }',
    '{ user(by: { id: "1", name: null }) }',
    'query ($id: ID) { user(by: { id: $id }) }',
    'query ($id: ID!, $name: String!) { user(by: { id: $id, name: $name }) }',
    '{ user(by: { at: { by: { id: "1", name: "Ada" } } }) }',
    'query ($by: UserBy! = { id: "1", name: "Ada" }) { user(by: $by) }',
  ])('other literals are not valid: %s', async (query) => {
    subgraph.forget();
    const response = await send(query, { id: '1', name: 'Ada' });
    expect(code(response)).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(subgraph.received).toEqual([]);
  });

  it.each([
    [{}],
    [{ id: '1', name: 'Ada' }],
    [{ id: null }],
    [{ id: '1', name: null }],
    [{ at: { by: { id: '1', name: 'Ada' } } }],
    [{ id: '1', toString: 'x' }],
  ])('other variables are BAD_USER_INPUT: %j', async (by) => {
    subgraph.forget();
    expect(code(await send('query ($by: UserBy!) { user(by: $by) }', { by }))).toBe('BAD_USER_INPUT');
    expect(code(await send('query ($by: [UserBy!]) { users(by: $by) }', { by: [by] }))).toBe(
      'BAD_USER_INPUT',
    );
    expect(subgraph.received).toEqual([]);
  });

  it('introspection says isOneOf, of these inputs alone', async () => {
    const query =
      '{ by: __type(name: "UserBy") { isOneOf } place: __type(name: "Place") { isOneOf } query: __type(name: "Query") { isOneOf } }';
    expect((await send(query)).body.data).toEqual({
      by: { isOneOf: true },
      place: { isOneOf: false },
      query: { isOneOf: null },
    });
  });

  it('introspection has the directive', async () => {
    const { body } = await send('{ __schema { directives { name locations } } }');
    expect(body.data).toMatchObject({
      __schema: { directives: expect.arrayContaining([{ name: 'oneOf', locations: ['INPUT_OBJECT'] }]) },
    });
  });
});
