/** Hosts the four subgraphs in a process of their own. Sends their addresses, and their request counts when asked, by IPC. */
import { startSubgraphServer } from './subgraph-server.ts';
import { subgraphs } from './subgraphs/index.ts';

const servers = await Promise.all(subgraphs.map((subgraph) => startSubgraphServer(subgraph)));
process.send?.({ kind: 'ready', urls: Object.fromEntries(servers.map(({ name, url }) => [name, url])) });
process.on('message', () => {
  process.send?.({ kind: 'count', count: servers.reduce((sum, server) => sum + server.requestCount(), 0) });
});
