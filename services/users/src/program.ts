import { createDemoContent } from '@trellis/demo-data';
import type { DeployableProgram } from '@trellis/deployable';
import { createSubgraphProgram, type SubgraphConfig } from '@trellis/subgraph-kit';
import { startBackground } from './background.ts';
import { configSchema } from './config.ts';
import { createProfileStore } from './profile-store.ts';
import { buildServer } from './server.ts';

/** The users subgraph as a program. */
export const users: DeployableProgram<SubgraphConfig> = createSubgraphProgram({
  service: 'users',
  configSchema,
  migrations: new URL('../migrations/', import.meta.url),
  buildServer,
  startBackground,
  seed: (pool) => createProfileStore(pool).seed(createDemoContent().users),
});
