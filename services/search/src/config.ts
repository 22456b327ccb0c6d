import type { ConfigOf } from '@trellis/runtime';
import { subgraphVariables, type SubgraphConfig, type SubgraphVariables } from '@trellis/subgraph-kit';

/** The services whose things can be found. */
export const sources = ['users', 'posts', 'comments'] as const;

/** One of {@link sources}. */
export type Source = (typeof sources)[number];

const own = {
  USERS_URL: {
    type: 'url',
    schemes: ['http', 'https'],
    optional: true,
    doc: 'Where the users service listens: it is asked whether what was found still exists, and for events that Redis has lost. Without it nothing of its is found.',
  },
  POSTS_URL: {
    type: 'url',
    schemes: ['http', 'https'],
    optional: true,
    doc: 'Where the posts service listens: it is asked whether what was found still exists, and for events that Redis has lost. Without it nothing of its is found.',
  },
  COMMENTS_URL: {
    type: 'url',
    schemes: ['http', 'https'],
    optional: true,
    doc: 'Where the comments service listens: it is asked whether what was found still exists, and for events that Redis has lost. Without it nothing of its is found.',
  },
} as const;

/** The configuration of the search subgraph. */
export type SearchConfig = SubgraphConfig & ConfigOf<typeof own>;

/** The variable that says where each source listens. */
export const ownerVariables: Readonly<Record<Source, keyof typeof own>> = {
  users: 'USERS_URL',
  posts: 'POSTS_URL',
  comments: 'COMMENTS_URL',
};

/** The environment of the search subgraph. Variables may carry the prefix SEARCH_. */
export const variables: SubgraphVariables & typeof own = { ...subgraphVariables(4014), ...own };
