import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import Fastify, { type FastifyInstance } from 'fastify';
import { createClient } from 'graphql-ws';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { compose } from '../testing/compose.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { gatewayPlugin } from './gateway-plugin.ts';

const TYPES = gql`
  type Query {
    greeting: String
  }
`;

let directory: TemporaryDirectory;
let subgraph: SubgraphServer;
let supergraph: string;
let host: FastifyInstance;
let url: string;

beforeAll(async () => {
  directory = createTemporaryDirectory();
  supergraph = join(directory.path, 'supergraph.graphql');
  const resolvers = { Query: { greeting: () => 'hello' } };
  subgraph = await startSubgraph({ name: 'greetings', typeDefs: TYPES, resolvers });
  writeFileSync(supergraph, compose([subgraph]));
  host = Fastify();
  host.get('/own', async () => ({ own: true }));
  host.post('/echo', async (request) => request.body);
  await host.register(gatewayPlugin, { supergraph, environment: { LOG_LEVEL: 'silent' } });
  url = await host.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await host.close();
  await subgraph.close();
  directory.remove();
});

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('The gateway as a plugin of another team’s Fastify', () => {
  it('serves the graph over HTTP, and says what is wrong as it does elsewhere', async () => {
    const response = await post('/graphql', { query: '{ greeting }' });
    expect(await response.json()).toEqual({ data: { greeting: 'hello' } });
    const wrong = await post('/graphql', { query: '{ unknown }' });
    expect(await wrong.json()).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
  });

  it('serves WebSockets, and closes those of other paths where no one takes them', async () => {
    const client = createClient({ url: `${url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
    const results = client.iterate({ query: '{ greeting }' });
    expect(await results.next()).toMatchObject({ value: { data: { greeting: 'hello' } } });
    await client.dispose();
    const other = new WebSocket(`${url.replace('http', 'ws')}/own`);
    const [error] = (await once(other, 'error').catch((reason: unknown) => [reason])) as [Error];
    expect(error.message).toContain('hang up');
  });

  it('changes nothing of the other routes of its host', async () => {
    const own = await fetch(`${url}/own`, { headers: { origin: 'https://elsewhere.example' } });
    expect(own.headers.get('access-control-allow-origin')).toBeNull();
    expect(own.headers.get('vary')).toBeNull();
    expect(await own.json()).toEqual({ own: true });
    expect(await (await post('/echo', { body: 'parsed' })).json()).toEqual({ body: 'parsed' });
    expect(await (await fetch(`${url}/nowhere`)).json()).toMatchObject({
      message: 'Route GET:/nowhere not found',
    });
    expect((await fetch(`${url}/own`, { method: 'OPTIONS' })).status).toBe(404);
  });

  it('does not know where the host listens: pages of other origins need http.cors', async () => {
    const headers = { 'content-type': 'application/json', origin: 'http://localhost:3000' };
    const body = JSON.stringify({ query: '{ greeting }' });
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('ends with its host', async () => {
    const short = Fastify();
    await short.register(gatewayPlugin, { supergraph, environment: { LOG_LEVEL: 'silent' } });
    await short.ready();
    await short.close();
    await expect(short.inject('/graphql')).rejects.toThrow();
  });

  it('is rejected with a prefix, and without a supergraph', async () => {
    const register = async (options: object): Promise<void> => {
      const server = Fastify();
      try {
        await server.register(gatewayPlugin, options);
        await server.ready();
      } finally {
        await server.close();
      }
    };
    await expect(register({ supergraph, prefix: '/api' })).rejects.toThrow('without a prefix');
    await expect(register({})).rejects.toThrow('SUPERGRAPH');
  });
});
