import type { ConfigOf } from '@trellis/runtime';
import { subgraphVariables, type SubgraphConfig, type SubgraphVariables } from '@trellis/subgraph-kit';

const own = {
  PRESENCE_WINDOW_S: {
    type: 'int',
    min: 2,
    max: 3_600,
    default: 60,
    unit: 'seconds',
    doc: 'For which a user is online after a gateway has reported them. Gateways repeat it every PRESENCE_INTERVAL_S, which must be well below.',
  },
} as const;

/** The configuration of the users subgraph. */
export type UsersConfig = SubgraphConfig & ConfigOf<typeof own>;

/** The environment of the users subgraph. Variables may carry the prefix USERS_. */
export const variables: SubgraphVariables & typeof own = { ...subgraphVariables(4011), ...own };
