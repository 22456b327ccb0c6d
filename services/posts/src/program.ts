import { createSubgraphProgram, type SubgraphConfig, type SubgraphProgram } from '@trellis/subgraph-kit';
import { startBackground } from './background.ts';
import { variables } from './config.ts';
import { buildServer } from './server.ts';

/** The posts subgraph as a program. */
export const posts: SubgraphProgram<SubgraphConfig> = createSubgraphProgram({
  service: 'posts',
  variables,
  migrations: new URL('../migrations/', import.meta.url),
  buildServer,
  startBackground,
});
