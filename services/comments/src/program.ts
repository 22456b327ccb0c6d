import type { DeployableProgram } from '@trellis/runtime';
import { createSubgraphProgram } from '@trellis/subgraph-kit';
import { startBackground } from './background.ts';
import { createCommentStore } from './comment-store.ts';
import { type CommentsConfig, variables } from './config.ts';
import { buildServer } from './server.ts';

/** The comments subgraph as a program. */
export const comments: DeployableProgram<CommentsConfig> = createSubgraphProgram<CommentsConfig>({
  service: 'comments',
  variables,
  migrations: new URL('../migrations/', import.meta.url),
  buildServer: (dependencies, { POSTS_URL: postsUrl }) => {
    const posts = postsUrl === undefined ? undefined : dependencies.peers.client?.('posts', postsUrl);
    return buildServer({ ...dependencies, posts });
  },
  startBackground,
  seed: async (pool) => {
    const { createDemoContent } = await import('@trellis/demo-data'); // no part of what is installed for production
    await createCommentStore(pool).seed(createDemoContent().comments);
  },
});
