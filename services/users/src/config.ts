import { subgraphVariables, type SubgraphShape } from '@trellis/subgraph-kit';
import { z } from 'zod';

/** The environment of the users subgraph. Variables may carry the prefix USERS_. */
export const configSchema: z.ZodObject<SubgraphShape> = z.object(subgraphVariables(4011));
