import { wholeNumber } from '@trellis/runtime';
import { subgraphVariables, type SubgraphConfig, type SubgraphShape } from '@trellis/subgraph-kit';
import { z } from 'zod';

/** The configuration of the users subgraph. */
export interface UsersConfig extends SubgraphConfig {
  readonly PRESENCE_WINDOW_S: number;
}

/** The environment of the users subgraph. Variables may carry the prefix USERS_. */
export const configSchema: z.ZodObject<SubgraphShape & { readonly PRESENCE_WINDOW_S: z.ZodType<number> }> =
  z.object({
    ...subgraphVariables(4011),
    PRESENCE_WINDOW_S: wholeNumber(2, 3_600, 60).describe(
      'Seconds for which a user is online after a gateway has reported them. Gateways repeat it every PRESENCE_INTERVAL_S, which must be well below.',
    ),
  });
