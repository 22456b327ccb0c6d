import { buildSubgraphServer, type SubgraphDependencies, type SubgraphServer } from '@trellis/subgraph-kit';
import { createCommentLoader } from './comment-loader.ts';
import { createCommentStore } from './comment-store.ts';
import type { SubgraphContext } from './context.ts';
import { resolvers } from './resolvers/index.ts';

/** Builds the comments subgraph over its database. It does not listen yet. */
export function buildServer(dependencies: SubgraphDependencies): Promise<SubgraphServer> {
  const { pool } = dependencies;
  const store = createCommentStore(pool);
  return buildSubgraphServer<SubgraphContext>({
    ...dependencies,
    typeDefs: new URL('../src/schema.graphql', import.meta.url),
    resolvers,
    createContext: () => ({ comments: createCommentLoader(store) }),
    readiness: { database: async () => void (await pool.query('SELECT 1')) },
  });
}
