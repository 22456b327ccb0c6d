import { timeOfId } from '@trellis/subgraph-kit';
import type { CommentResolvers, TextCommentResolvers } from '../generated/resolver-types.ts';

/** All comments are in words so far. */
export const comment: CommentResolvers = { __resolveType: () => 'TextComment' };

/** Fields of a comment that are more than a column. */
export const textComment: TextCommentResolvers = {
  __resolveReference: ({ id }, { comments }) => comments.load(id),
  createdAt: ({ id }) => timeOfId(id),
  author: ({ authorId }) => ({ id: authorId }),
  post: ({ postId }) => ({ id: postId }),
};
