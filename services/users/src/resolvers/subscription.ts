import { badUserInput } from '@trellis/subgraph-protocol';
import type { SubscriptionResolvers } from '../generated/resolver-types.ts';

/** Root fields that push. */
export const subscription: SubscriptionResolvers = {
  userStatusChanged: {
    subscribe: async (_root, { userId }, { profiles, userStatusChanged, lastEventId }) => {
      const profile = await profiles.load(userId);
      if (!profile) throw badUserInput('There is no such user.', 'userId', userId);
      return userStatusChanged.subscribe({
        key: profile.id,
        lastEventId,
        accepts: () => true, // presence is for everybody who may read
        toEvent: (status) => ({ userStatusChanged: status }),
      });
    },
  },
};
