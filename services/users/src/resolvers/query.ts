import { findConnection, readCount, readPageBy, type Bounds } from '@trellis/subgraph-kit';
import { displayName, nameless } from '../profile.ts';
import { cursorOfProfile, readProfileCursor } from '../profile-cursor.ts';
import type { QueryResolvers } from '../generated/resolver-types.ts';

/** Users who are shown as being there. */
const MAX_ONLINE = 500;

const BOUNDS: Bounds = { max: 100, defaultValue: 20 };

/** Root fields that read. */
export const query: QueryResolvers = {
  user: (_root, { id }, { profiles }) => profiles.load(id),
  users: (_root, args, { store }) =>
    store.list({
      limit: readCount('limit', args.limit, BOUNDS),
      offset: readCount('offset', args.offset, { max: 10_000, defaultValue: 0 }),
    }),
  usersConnection: (_root, args, { store }) =>
    findConnection(readPageBy(args, BOUNDS, readProfileCursor), store.listPage, cursorOfProfile),
  onlineUsers: async (_root, _args, { presence, profiles }) => {
    const there = (await presence?.list(MAX_ONLINE)) ?? [];
    return Promise.all(
      there.map(async ({ userId, lastSeen }) => {
        const profile = (await profiles.load(userId)) ?? nameless(userId);
        return { id: userId, name: displayName(profile), lastSeen };
      }),
    );
  },
  me: (_root, _args, { userContext, profiles }) =>
    userContext.user ? profiles.load(userContext.user.id) : null,
};
