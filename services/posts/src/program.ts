import type { DeployableProgram } from '@trellis/runtime';
import { createSubgraphProgram, type SubgraphConfig } from '@trellis/subgraph-kit';
import { startBackground } from './background.ts';
import { variables } from './config.ts';
import { createPostStore } from './post-store.ts';
import { buildServer } from './server.ts';

/** The posts subgraph as a program. */
export const posts: DeployableProgram<SubgraphConfig> = createSubgraphProgram({
  service: 'posts',
  variables,
  migrations: new URL('../migrations/', import.meta.url),
  buildServer,
  startBackground,
  seed: async (pool) => {
    const { createDemoContent } = await import('@trellis/demo-data'); // no part of what is installed for production
    await createPostStore(pool).seed(createDemoContent().posts);
  },
});
