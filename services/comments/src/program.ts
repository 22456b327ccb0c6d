import { createSubgraphProgram, type SubgraphProgram } from '@trellis/subgraph-kit';
import { startBackground } from './background.ts';
import { type CommentsConfig, variables } from './config.ts';
import { buildServer } from './server.ts';

/** The comments subgraph as a program. */
export const comments: SubgraphProgram<CommentsConfig> = createSubgraphProgram<CommentsConfig>({
  service: 'comments',
  variables,
  migrations: new URL('../migrations/', import.meta.url),
  buildServer: (dependencies, { POSTS_URL: postsUrl }) => {
    const posts = postsUrl === undefined ? undefined : dependencies.peers.client?.('posts', postsUrl);
    return buildServer({ ...dependencies, posts });
  },
  startBackground,
});
