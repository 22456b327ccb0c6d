import { createSubgraphProgram, type SubgraphProgram } from '@trellis/subgraph-kit';
import { startBackground } from './background.ts';
import { type UsersConfig, variables } from './config.ts';
import { buildServer } from './server.ts';

/** The users subgraph as a program. */
export const users: SubgraphProgram<UsersConfig> = createSubgraphProgram<UsersConfig>({
  service: 'users',
  variables,
  migrations: new URL('../migrations/', import.meta.url),
  buildServer: (dependencies, config) =>
    buildServer({ ...dependencies, presenceWindowMs: config.PRESENCE_WINDOW_S * 1_000 }),
  startBackground,
});
