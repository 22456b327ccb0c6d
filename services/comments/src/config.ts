import { subgraphVariables, type SubgraphShape } from '@trellis/subgraph-kit';
import { z } from 'zod';

/** The environment of the comments subgraph. Variables may carry the prefix COMMENTS_. */
export const configSchema: z.ZodObject<SubgraphShape> = z.object(subgraphVariables(4013));
