// Mercurius' gateway over the subgraphs themselves. Argument 1 is not used; 2: the port; 3: the subgraphs as JSON, name → URL.
import process from 'node:process';
import Fastify from 'fastify';
import gateway from '@mercuriusjs/gateway';

const [, port, subgraphs] = process.argv.slice(2);
const app = Fastify();
await app.register(gateway, {
  gateway: {
    services: Object.entries(JSON.parse(subgraphs)).map(([name, url]) => ({
      name,
      url,
      rewriteHeaders: (headers) => (headers.authorization ? { authorization: headers.authorization } : {}),
    })),
  },
});
await app.listen({ port: Number(port), host: '127.0.0.1' });
