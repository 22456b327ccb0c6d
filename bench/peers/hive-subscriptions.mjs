// Hive Gateway with its native query planner, and its subscriptions over WebSocket on both sides. Argument 1: the supergraph file;
// 2: the port.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import process from 'node:process';
import { createGatewayRuntime, getGraphQLWSOptions } from '@graphql-hive/gateway-runtime';
import { unifiedGraphHandler } from '@graphql-hive/router-runtime';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

const [file, port] = process.argv.slice(2);
const gateway = createGatewayRuntime({
  supergraph: readFileSync(file, 'utf8'),
  unifiedGraphHandler,
  transportEntries: { topic: { options: { subscriptions: { kind: 'ws', location: '/graphql' } } } },
  logging: false,
  landingPage: false,
  graphiql: false,
});
const server = createServer(gateway);
const sockets = new WebSocketServer({ path: gateway.graphqlEndpoint, server });
useServer(
  getGraphQLWSOptions(gateway, ({ extra }) => ({ req: extra.request, socket: extra.socket })),
  sockets,
);
server.listen(Number(port), '127.0.0.1');
