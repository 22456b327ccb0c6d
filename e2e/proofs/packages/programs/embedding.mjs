// Somebody's own Fastify, with a route of its own, that serves the graph too.
import { gatewayPlugin } from '@trellis/gateway';
import Fastify from 'fastify';

const [supergraph, port] = process.argv.slice(2);
const app = Fastify();
app.get('/ready', async () => ({ ready: true }));
await app.register(gatewayPlugin, { supergraph, environment: { LOG_LEVEL: 'warn' } });
await app.listen({ port: Number(port), host: '127.0.0.1' });
process.once('SIGTERM', () => void app.close());
