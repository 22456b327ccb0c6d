// The compiled gateway as `npm run gateway` starts it. Argument 1: the supergraph file; 2: the port.
import process from 'node:process';

const [supergraph, port] = process.argv.slice(2);
process.env.SUPERGRAPH = supergraph;
process.env.PORT = port;
process.env.OPERATIONS_PORT = '0';
process.env.FORWARD_HEADERS = 'authorization';
process.env.LOG_LEVEL = 'error';
await import('../gateway/dist/main.js');
