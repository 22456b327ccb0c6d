// @apollo/gateway as its documentation sets it up: ApolloServer, here on Fastify. Argument 1: the supergraph file; 2: the
// port; 3: `undici` puts undici's request behind its data source instead of its own fetcher.
import { readFileSync } from 'node:fs';
import process from 'node:process';

process.env.APOLLO_TELEMETRY_DISABLED = 'true';
const { ApolloGateway, RemoteGraphQLDataSource } = await import('@apollo/gateway');
const { ApolloServer } = await import('@apollo/server');
const { default: fastifyApollo, fastifyApolloDrainPlugin } = await import('@as-integrations/fastify');
const { default: Fastify } = await import('fastify');
const { Agent, request } = await import('undici');

const [file, port, variant] = process.argv.slice(2);
const agent = new Agent({ connections: 64 });

async function fetchWithUndici(url, init) {
  const response = await request(url, {
    method: init.method,
    headers: { ...init.headers },
    body: init.body,
    dispatcher: agent,
  });
  return new Response(await response.body.text(), {
    status: response.statusCode,
    headers: { 'content-type': String(response.headers['content-type']) },
  });
}

class ForwardingSource extends RemoteGraphQLDataSource {
  constructor({ url }) {
    super({ url, ...(variant === 'undici' && { fetcher: fetchWithUndici }) });
  }
  willSendRequest({ request: outgoing, context }) {
    if (context.authorization) outgoing.http.headers.set('authorization', context.authorization);
  }
}

const gateway = new ApolloGateway({
  supergraphSdl: readFileSync(file, 'utf8'),
  buildService: (definition) => new ForwardingSource(definition),
});
const app = Fastify();
const server = new ApolloServer({ gateway, plugins: [fastifyApolloDrainPlugin(app)], csrfPrevention: false });
await server.start();
await app.register(fastifyApollo(server), {
  context: async ({ headers }) => ({ authorization: headers.authorization }),
});
await app.listen({ port: Number(port), host: '127.0.0.1' });
