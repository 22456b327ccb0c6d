import { createDemoContent } from '@trellis/demo-data';
import type { DeployableProgram } from '@trellis/deployable';
import { createSubgraphProgram, type SubgraphConfig } from '@trellis/subgraph-kit';
import { createCommentStore } from './comment-store.ts';
import { configSchema } from './config.ts';
import { buildServer } from './server.ts';

/** The comments subgraph as a program. */
export const comments: DeployableProgram<SubgraphConfig> = createSubgraphProgram({
  service: 'comments',
  configSchema,
  migrations: new URL('../migrations/', import.meta.url),
  buildServer,
  seed: (pool) => createCommentStore(pool).seed(createDemoContent().comments),
});
