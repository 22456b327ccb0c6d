import { timeOfId } from '@trellis/subgraph-kit';
import type { PostResolvers } from '../generated/resolver-types.ts';

/** Fields of a post that are more than a column. */
export const post: PostResolvers = {
  __resolveReference: ({ id }, { posts }) => posts.load(id),
  author: ({ authorId }) => ({ id: authorId }),
  createdAt: ({ id }) => timeOfId(id),
};
