import { subgraphVariables, type SubgraphVariables } from '@trellis/subgraph-kit';

/** The environment of the posts subgraph. Variables may carry the prefix POSTS_. */
export const variables: SubgraphVariables = subgraphVariables(4012);
