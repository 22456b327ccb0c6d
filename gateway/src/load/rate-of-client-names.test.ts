import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawSocket } from '../testing/raw-socket.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let subgraph: SubgraphServer;
let gateway: TestGateway;

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'numbers',
    typeDefs: gql`
      type Query {
        one: Int
      }
    `,
    resolvers: { Query: { one: () => 1 } },
  });
  gateway = await startTestGateway({
    subgraphs: [subgraph],
    settings: `rateLimits:
  clientNames:
    partner: { operations: 2, windowS: 60 }
    ios: { operations: 3, windowS: 60 }
    ios@1.0: { operations: 1, windowS: 60 }
    alone@1: { operations: 1, windowS: 60 }`,
  });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});

async function codesOf(headers: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const codes = [];
  for (let use = 0; use < 3; use += 1) {
    const { body } = await gateway.post({ query: '{ one }' }, headers);
    codes.push(body.errors?.[0]?.extensions['code']);
  }
  return codes;
}

describe('rateLimits.clientNames', () => {
  it('holds for a listed name, in either header', async () => {
    const first = await codesOf({ 'apollographql-client-name': 'partner' });
    expect(first).toEqual([undefined, undefined, 'RATE_LIMITED']);
    expect((await codesOf({ 'graphql-client-name': 'partner' }))[0]).toBe('RATE_LIMITED');
  });

  it('holds for a name in connection_init', async () => {
    const socket = await RawSocket.connect(`${gateway.url}/graphql`, { client: { name: 'partner' } });
    socket.subscribe('1', '{ one }');
    expect(await socket.next()).toMatchObject({ payload: [{ extensions: { code: 'RATE_LIMITED' } }] });
    socket.close();
  });

  it('holds for a version, beside the rate of its name', async () => {
    const ios = (version: string): Readonly<Record<string, string>> => ({
      'apollographql-client-name': 'ios',
      'apollographql-client-version': version,
    });
    expect(await codesOf(ios('1.0'))).toEqual([undefined, 'RATE_LIMITED', 'RATE_LIMITED']);
    expect(await codesOf(ios('2.0'))).toEqual([undefined, undefined, 'RATE_LIMITED']);
    const alone = { 'graphql-client-name': 'alone', 'graphql-client-version': '1' };
    expect(await codesOf(alone)).toEqual([undefined, 'RATE_LIMITED', 'RATE_LIMITED']);
    expect((await codesOf({ 'graphql-client-name': 'alone' }))[0]).toBeUndefined();
  });

  it('holds for no other name, and for none', async () => {
    const free = [undefined, undefined, undefined];
    expect(await codesOf({ 'graphql-client-name': 'web' })).toEqual(free);
    expect(await codesOf({ 'graphql-client-name': '__proto__' })).toEqual(free);
    expect(await codesOf({})).toEqual(free);
  });
});
