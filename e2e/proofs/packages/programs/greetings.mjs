// A subgraph in a repository of its own.
import { createLogger, createMetrics } from '@trellis/runtime';
import { buildSubgraphServer } from '@trellis/subgraph-kit';
import { createUserContextVerifier } from '@trellis/subgraph-protocol';
import { createRemoteJWKSet } from 'jose';

const [gateway, port] = process.argv.slice(2);
const keys = createRemoteJWKSet(new URL(`${gateway}/.well-known/user-context-jwks.json`));
const server = await buildSubgraphServer({
  logger: createLogger({ service: 'greetings', level: 'warn' }),
  metrics: createMetrics('greetings'),
  verifier: createUserContextVerifier({ subgraph: 'greetings', keys }),
  typeDefs: new URL('./greetings.graphql', import.meta.url),
  resolvers: {
    Query: { greeting: (_root, _args, { userContext }) => `Hello, ${userContext.user?.name ?? 'world'}` },
  },
  createContext: ({ userContext }) => ({ userContext }),
  development: true,
});
await server.listen({ port: Number(port), host: '127.0.0.1' });
process.once('SIGTERM', () => void server.close());
