import { gql } from 'graphql-tag';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OperationResult } from '../pipeline/operation-result.ts';
import { WholeResult } from '../pipeline/respond.ts';
import { clientSoftwareOf } from '../identity/caller.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';
import { createClientMetrics } from './operation-metrics.ts';

const NAME = 'trellis_gateway_client_operations_total';

describe('The headers by which a client names itself', () => {
  it.each([
    [{ 'apollographql-client-name': 'web', 'apollographql-client-version': '1.2' }, 'web', '1.2'],
    [{ 'graphql-client-name': 'web', 'graphql-client-version': '1.2' }, 'web', '1.2'],
    [{ 'x-graphql-client-name': 'web', 'x-graphql-client-version': '1.2' }, 'web', '1.2'],
    [{ 'graphql-client-name': 'other', 'apollographql-client-name': 'web' }, 'web', ''],
    [{ 'graphql-client-name': 'web', 'graphql-client-version': 'x'.repeat(101) }, 'web', ''],
  ])('%o', (headers, name, version) => {
    expect(clientSoftwareOf({ headers })).toEqual({ name, version });
  });

  it.each([
    {},
    { 'graphql-client-version': '1' },
    { 'graphql-client-name': '' },
    { 'graphql-client-name': 'x'.repeat(101) },
    { 'graphql-client-name': 'a\nb' },
    { 'graphql-client-name': 'ä' },
    { 'graphql-client-name': ['a', 'b'] },
  ])('name none: %o', (headers) => {
    expect(clientSoftwareOf({ headers })).toBeUndefined();
  });
});

describe('Series of clients', () => {
  const OK = { errors: [], data: '{}' } as unknown as OperationResult; // it reads no more of one

  it('are bounded, whatever clients say', async () => {
    const registry = new Registry();
    const clients = createClientMetrics(registry);
    for (let client = 0; client < 500; client += 1)
      for (let use = 0; use < 10; use += 1) clients.observe({ name: `c${client}`, version: '1' }, OK);
    const { values } = (await registry.getMetricsAsJSON())[0] as unknown as {
      values: { labels: { client: string } }[];
    };
    expect(values).toHaveLength(201);
    expect(values.filter(({ labels }) => labels.client === 'other')).toHaveLength(1);
  });

  it('are bounded, whatever clients tokens are for, and none where neither is known', async () => {
    const registry = new Registry();
    const clients = createClientMetrics(registry);
    clients.observe(undefined, OK);
    for (let client = 0; client < 500; client += 1) {
      const admitted = { caller: { context: { clientId: `c${client}` } } };
      const response = { ...OK, admitted } as unknown as OperationResult; // it reads no more of one
      for (let use = 0; use < 10; use += 1) clients.observe(undefined, response);
    }
    const { values } = (await registry.getMetricsAsJSON())[0] as unknown as {
      values: { labels: { client: string; oauth_client: string } }[];
    };
    expect(values).toHaveLength(201);
    expect(values.filter(({ labels }) => labels.oauth_client === '')).toMatchObject([
      { labels: { client: 'other' } },
    ]);
  });
});

describe('A gateway', () => {
  let subgraph: SubgraphServer;
  let gateway: TestGateway;
  let issuer: TokenIssuer;

  beforeAll(async () => {
    issuer = await startTokenIssuer();
    subgraph = await startSubgraph({
      name: 'numbers',
      typeDefs: gql`
        type Query {
          one: Int
          large: [Item!]
        }
        type Item {
          text: String
        }
      `,
      resolvers: {
        Query: {
          one: () => 1,
          large: () => Array.from({ length: 1_000 }, (_, row) => ({ text: `the text of row ${row}` })),
        },
      },
    });
    gateway = await startTestGateway({
      subgraphs: [subgraph],
      environment: issuer.environment,
    });
  });
  afterAll(async () => {
    await gateway.close();
    await subgraph.close();
    await issuer.close();
  });

  it('counts and logs operations by client, over HTTP and WebSocket', async () => {
    const headers = { 'apollographql-client-name': 'web', 'apollographql-client-version': '1.2' };
    for (let use = 0; use < 11; use += 1) await gateway.post({ query: '{ one }' }, headers);
    const socket = await RawSocket.connect(`${gateway.url}/graphql`, {}, { headers });
    socket.subscribe('1', '{ one }');
    await socket.next();
    socket.close();
    const text = await gateway.metrics.getSingleMetricAsString(NAME);
    expect(text).toContain('{client="web",version="1.2",oauth_client="",outcome="OK",service="gateway"} 3');
    expect(text).toContain('{client="other",version="",oauth_client="",outcome="OK",service="gateway"} 9');
    expect(gateway.logged()).toContainEqual(
      expect.objectContaining({ msg: 'operation ended', client: 'web', clientVersion: '1.2' }),
    );
  });

  it('counts and logs a large response without making its text: it is sent as bytes, and as a text made once over WebSocket', async () => {
    const read = vi.spyOn(WholeResult.prototype, 'data', 'get');
    const ended = (): number => gateway.logged().filter(({ msg }) => msg === 'operation ended').length;
    const before = ended();
    const response = await gateway.post(
      { query: 'query Large { large { text } }' },
      { 'graphql-client-name': 'reader' },
    );
    expect(response.body).toMatchObject({ data: { large: { length: 1_000 } } });
    expect(ended()).toBe(before + 1);
    expect(read).not.toHaveBeenCalled();
    const socket = await RawSocket.connect(`${gateway.url}/graphql`);
    socket.subscribe('1', 'query Large { large { text } }');
    expect(await socket.next()).toMatchObject({ payload: { data: { large: { length: 1_000 } } } });
    socket.close();
    expect(read).toHaveBeenCalledOnce(); // a message holds text
    read.mockRestore();
  });

  it('counts and logs operations by the OAuth client, with a name beside it and without', async () => {
    const authorization = `Bearer ${await issuer.sign({ client_id: 'batch' })}`;
    const named = { 'graphql-client-name': 'importer', 'graphql-client-version': '4' };
    for (let use = 0; use < 11; use += 1) {
      await gateway.post({ query: '{ one }' }, { authorization });
      await gateway.post({ query: '{ one }' }, { authorization, ...named });
    }
    const text = await gateway.metrics.getSingleMetricAsString(NAME);
    for (const labels of [
      'client="",version="",oauth_client="batch"',
      'client="importer",version="4",oauth_client="batch"',
    ])
      expect(text).toContain(`{${labels},outcome="OK",service="gateway"} 2`);
    const logged = gateway.logged().filter(({ oauthClient }) => oauthClient === 'batch');
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'operation ended', client: 'importer', clientVersion: '4' }),
    );
    expect(logged.filter(({ client }) => client === undefined)).toHaveLength(11);
  });

  it('knows which operations are slow by their names, from the tenth use on', async () => {
    for (let use = 0; use < 12; use += 1) await gateway.post({ query: 'query Named { one }' });
    const text = await gateway.metrics.getSingleMetricAsString('trellis_gateway_operation_seconds_total');
    const seconds = /name="Named".*\} (\S+)$/m.exec(text)?.[1];
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(text).toContain('name="other"');
    expect(text).not.toContain('outcome');
  });

  it('knows a client by connection_init alone: in metrics and logs, and not in headers for subgraphs', async () => {
    subgraph.forget();
    const client = { name: 'desktop', version: '3' };
    const socket = await RawSocket.connect(`${gateway.url}/graphql`, { client });
    for (let use = 0; use < 20; use += 1) {
      socket.subscribe(`${use}`, '{ one }');
      await socket.next(); // next
      await socket.next(); // complete
    }
    socket.close();
    const text = await gateway.metrics.getSingleMetricAsString(NAME);
    expect(text).toContain('client="desktop",version="3"');
    expect(gateway.logged()).toContainEqual(
      expect.objectContaining({ msg: 'operation ended', client: 'desktop', clientVersion: '3' }),
    );
    expect(
      Object.keys(subgraph.received[0]?.headers ?? {}).filter((name) => name.includes('client')),
    ).toEqual([]);
  });

  it('takes the headers of the upgrade request before connection_init', async () => {
    const headers = { 'graphql-client-name': 'proxied' };
    const socket = await RawSocket.connect(
      `${gateway.url}/graphql`,
      { client: { name: 'said' } },
      { headers },
    );
    socket.subscribe('1', '{ one }');
    await socket.next();
    socket.close();
    const named = gateway.logged().filter(({ msg }) => msg === 'operation ended');
    expect(named.at(-1)).toMatchObject({ client: 'proxied' });
  });
});
