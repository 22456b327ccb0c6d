import type { SubscriptionResolvers } from '../generated/resolver-types.ts';
import { isVisible, viewerOf } from '../post.ts';

/** Root fields that push. */
export const subscription: SubscriptionResolvers = {
  postCreated: {
    subscribe: (_root, _args, { userContext, postCreated, lastEventId }) => {
      const viewer = viewerOf(userContext);
      return postCreated.subscribe({
        lastEventId,
        accepts: (post) => isVisible(post, viewer),
        toEvent: (post) => ({ postCreated: post }),
      });
    },
  },
};
