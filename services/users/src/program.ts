import type { DeployableProgram } from '@trellis/runtime';
import { createSubgraphProgram } from '@trellis/subgraph-kit';
import { startBackground } from './background.ts';
import { type UsersConfig, variables } from './config.ts';
import { createProfileStore } from './profile-store.ts';
import { buildServer } from './server.ts';

/** The users subgraph as a program. */
export const users: DeployableProgram<UsersConfig> = createSubgraphProgram<UsersConfig>({
  service: 'users',
  variables,
  migrations: new URL('../migrations/', import.meta.url),
  buildServer: (dependencies, config) =>
    buildServer({ ...dependencies, presenceWindowMs: config.PRESENCE_WINDOW_S * 1_000 }),
  startBackground,
  seed: async (pool) => {
    const { createDemoContent } = await import('@trellis/demo-data'); // no part of what is installed for production
    await createProfileStore(pool).seed(createDemoContent().users);
  },
});
