import type { ConfigOf } from '@trellis/runtime';
import { subgraphVariables, type SubgraphConfig, type SubgraphVariables } from '@trellis/subgraph-kit';

const own = {
  POSTS_URL: {
    type: 'url',
    schemes: ['http', 'https'],
    optional: true,
    doc: 'Where the posts service listens: it is asked about posts, and for events that Redis has lost.',
  },
} as const;

/** The configuration of the comments subgraph. */
export type CommentsConfig = SubgraphConfig & ConfigOf<typeof own>;

/** The environment of the comments subgraph. Variables may carry the prefix COMMENTS_. */
export const variables: SubgraphVariables & typeof own = { ...subgraphVariables(4013), ...own };
