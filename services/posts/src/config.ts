import { subgraphVariables, type SubgraphShape } from '@trellis/subgraph-kit';
import { z } from 'zod';

/** The environment of the posts subgraph. Variables may carry the prefix POSTS_. */
export const configSchema: z.ZodObject<SubgraphShape> = z.object(subgraphVariables(4012));
