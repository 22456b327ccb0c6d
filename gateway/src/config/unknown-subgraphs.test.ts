import { expect, it } from 'vitest';
import { readGatewayConfig, unknownSubgraphs } from './config.ts';

const known = new Map([['users', {}]]);

it('rules for subgraphs that the supergraph does not have are found wherever they stand', () => {
  const config = readGatewayConfig({
    SUPERGRAPH: 'supergraph.graphql',
    SUBGRAPH_URLS: 'users=http://users.test/ uesrs=http://users.test/',
  });
  const settings = {
    headers: { subgraphs: { users: {}, poosts: { remove: ['x-tenant'] } } },
    subscriptions: {
      subgraphUrls: { users: 'ws://users.test/', user: 'ws://users.test/' },
      subgraphs: { usres: {} },
    },
    subgraphConnections: { subgraphs: { userz: {} } },
    traffic: { subgraphs: { users: { timeoutMs: 100 }, Users: { timeoutMs: 100 } } },
  };
  expect(unknownSubgraphs({ ...config, settings }, known)).toEqual([
    'SUBGRAPH_URLS.uesrs',
    'headers.subgraphs.poosts',
    'subgraphConnections.subgraphs.userz',
    'subscriptions.subgraphUrls.user',
    'subscriptions.subgraphs.usres',
    'traffic.subgraphs.Users',
  ]);
});

it('a configuration that names subgraphs of the supergraph alone, or none, has nothing unknown', () => {
  const config = readGatewayConfig({ SUPERGRAPH: 'supergraph.graphql' });
  expect(unknownSubgraphs(config, known)).toEqual([]);
  const named = { ...config, SUBGRAPH_URLS: { users: 'http://users.test/' } };
  expect(unknownSubgraphs(named, known)).toEqual([]);
});
