// Hive Gateway with its native query planner. Argument 1: the supergraph file; 2: the port.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import process from 'node:process';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { unifiedGraphHandler } from '@graphql-hive/router-runtime';

const [file, port] = process.argv.slice(2);
const gateway = createGatewayRuntime({
  supergraph: readFileSync(file, 'utf8'),
  unifiedGraphHandler,
  propagateHeaders: {
    fromClientToSubgraphs: ({ request }) => ({
      authorization: request.headers.get('authorization') ?? undefined,
    }),
  },
  logging: false,
  landingPage: false,
  graphiql: false,
});
createServer(gateway).listen(Number(port), '127.0.0.1');
