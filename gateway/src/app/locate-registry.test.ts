import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readGatewayConfig, type GatewayConfig } from '../config/config.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { PublishedGraph } from '../testing/published-graph.ts';
import { startSubgraph } from '../testing/subgraph-server.ts';
import { locateRegistry, type LocatedRegistry } from './locate-registry.ts';

let graph: PublishedGraph;
let server: Server;
let asked: number;
beforeEach(async () => {
  graph = await PublishedGraph.create();
  asked = 0;
  server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(503).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  graph.close();
});

const CLIENT = {
  TRELLIS_REGISTRY_ISSUER: 'https://auth.test',
  TRELLIS_REGISTRY_CLIENT_ID: 'gateway',
  TRELLIS_REGISTRY_CLIENT_SECRET: 'secret',
};

/** What a gateway that began with one source opens another one with. */
function locate(
  atStart: string,
  source: string,
  environment: Readonly<Record<string, string>>,
): Promise<LocatedRegistry> {
  const config = readGatewayConfig({ SUPERGRAPH: 'supergraph.graphql', ...environment });
  const started: GatewayConfig = { ...config, settings: { registry: { source: atStart } } };
  const trust = JSON.stringify({ keys: graph.trust.keys });
  return locateRegistry(
    { source, graph: 'library@production', contract: undefined, trust, directory: undefined },
    started,
  );
}

describe('Credentials of the environment for a registry over HTTP', () => {
  it.each([{ TRELLIS_REGISTRY_TOKEN: 'token' }, CLIENT])(
    'are for the origin that was named at the start alone: %j',
    async (environment) => {
      const first = 'https://first.test/registry';
      await expect(locate(first, 'https://FIRST.test:443/other', environment)).resolves.toBeDefined();
      await expect(locate(first, graph.folder, environment)).resolves.toBeDefined();
      for (const other of ['https://second.test', 'http://127.0.0.1:4000', 'https://first.test:444'])
        await expect(locate(first, other, environment)).rejects.toThrow(/named at the start; restart/);
      await expect(locate(graph.folder, first, environment)).rejects.toThrow(/restart/);
    },
  );

  it('keep no gateway that has none from following another server', async () => {
    await expect(locate('https://first.test', 'https://second.test', {})).resolves.toBeDefined();
  });

  it('are sent to no server that a reload names', async () => {
    const subgraph = await startSubgraph({
      name: 'numbers',
      typeDefs: gql`
        type Query {
          one: Int
        }
      `,
      resolvers: { Query: { one: () => 1 } },
    });
    await graph.publish([subgraph]);
    const registry = { source: graph.folder, graph: 'library@production', trust: graph.trustFile };
    const gateway = await startTestGateway({
      subgraphs: [subgraph],
      settings: JSON.stringify({ registry }),
      environment: { SUPERGRAPH: 'registry', TRELLIS_REGISTRY_TOKEN: 'token' },
    });
    try {
      const { port } = server.address() as AddressInfo; // it listens on TCP
      const source = `http://127.0.0.1:${port}`;
      await expect(gateway.reload({ registry: { ...registry, source } })).rejects.toThrow(/restart/);
      expect(asked).toBe(0);
    } finally {
      await gateway.close();
      await subgraph.close();
    }
  });
});
