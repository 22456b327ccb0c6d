import { badUserInput } from '@trellis/subgraph-protocol';
import type { SubscriptionResolvers } from '../generated/resolver-types.ts';
import { isVisible } from '../known-post-store.ts';
import { viewerOf } from '../viewer.ts';

/** Root fields that push. */
export const subscription: SubscriptionResolvers = {
  commentAdded: {
    subscribe: async (_root, { postId }, { userContext, postFinder, commentAdded, lastEventId }) => {
      const viewer = viewerOf(userContext);
      const post = await postFinder.find(postId, viewer);
      if (!post) throw badUserInput('There is no such post.', 'postId', postId);
      return commentAdded.subscribe({
        key: post.id,
        lastEventId,
        accepts: (placed) => isVisible(placed.post, viewer),
        toEvent: ({ comment }) => ({ commentAdded: comment }),
      });
    },
  },
};
