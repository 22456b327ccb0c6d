// The gateway as `npm run gateway` starts it, for live queries that are resolved often, of callers that all come from one address.
// Argument 1: the supergraph file; 2: the port; 3: its main module.
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const [supergraph, port, main] = process.argv.slice(2);
process.env.SUPERGRAPH = supergraph;
process.env.PORT = port;
process.env.OPERATIONS_PORT = '0';
process.env.FORWARD_HEADERS = 'authorization';
process.env.CONFIG = fileURLToPath(new URL('live.yaml', import.meta.url));
process.env.GUARDS = 'off';
process.env.LOG_LEVEL = 'error';
await import(main);
