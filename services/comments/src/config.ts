import { url } from '@trellis/runtime';
import { subgraphVariables, type SubgraphConfig, type SubgraphShape } from '@trellis/subgraph-kit';
import { z } from 'zod';

/** The configuration of the comments subgraph. */
export interface CommentsConfig extends SubgraphConfig {
  readonly POSTS_URL?: string | undefined;
}

/** The environment of the comments subgraph. Variables may carry the prefix COMMENTS_. */
export const configSchema: z.ZodObject<
  SubgraphShape & { readonly POSTS_URL: z.ZodType<string | undefined> }
> = z.object({
  ...subgraphVariables(4013),
  POSTS_URL: url('http', 'https')
    .optional()
    .describe(
      'Where the posts service listens: it is asked about posts, and for events that Redis has lost.',
    ),
});
