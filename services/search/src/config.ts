import { url } from '@trellis/runtime';
import { subgraphVariables, type SubgraphConfig, type SubgraphShape } from '@trellis/subgraph-kit';
import { z } from 'zod';

/** The services whose things can be found. */
export const sources = ['users', 'posts', 'comments'] as const;

/** One of {@link sources}. */
export type Source = (typeof sources)[number];

type OwnerVariable = 'USERS_URL' | 'POSTS_URL' | 'COMMENTS_URL';

/** The configuration of the search subgraph. */
export type SearchConfig = SubgraphConfig & { readonly [Name in OwnerVariable]?: string | undefined };

/** The variable that says where each source listens. */
export const ownerVariables: Readonly<Record<Source, OwnerVariable>> = {
  users: 'USERS_URL',
  posts: 'POSTS_URL',
  comments: 'COMMENTS_URL',
};

/** The environment of the search subgraph. Variables may carry the prefix SEARCH_. */
export const configSchema: z.ZodObject<
  SubgraphShape & { readonly [Name in OwnerVariable]: z.ZodType<string | undefined> }
> = z.object({
  ...subgraphVariables(4014),
  USERS_URL: ownerUrl('users'),
  POSTS_URL: ownerUrl('posts'),
  COMMENTS_URL: ownerUrl('comments'),
});

function ownerUrl(service: Source): z.ZodType<string | undefined> {
  return url('http', 'https')
    .optional()
    .describe(
      `Where the ${service} service listens: it is asked whether what was found is still there, and for events that Redis has lost. Without it nothing of its is found.`,
    );
}
