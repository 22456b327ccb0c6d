import { findConnection, hasRole, readCount, readPageBy, type Bounds } from '@trellis/subgraph-kit';
import { cursorOfProfile, readProfileCursor } from '../profile-cursor.ts';
import type { SubgraphContext } from '../context.ts';
import type { QueryResolvers, UserBy } from '../generated/resolver-types.ts';
import { displayName, nameless, type Profile } from '../profile.ts';

/** Users who are shown as present. */
const MAX_ONLINE = 500;

const BOUNDS: Bounds = { max: 100, defaultValue: 20 };

/** Root fields that read. */
export const query: QueryResolvers = {
  user: (_root, { id }, { profiles }) => profiles.load(id),
  userBy: (_root, { by }, context) => findUser(by, context),
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

/** An address that the caller is denied finds no one: who asks would learn whose it is. */
async function findUser(
  { id, email }: UserBy,
  { profiles, store, userContext }: SubgraphContext,
): Promise<Profile | null> {
  if (typeof id === 'string') return profiles.load(id);
  if (typeof email !== 'string') return null; // exactly one of them is given
  if (hasRole(userContext, 'ADMIN')) return (await store.findByEmail(email)) ?? null;
  const own = userContext.user ? await profiles.load(userContext.user.id) : null;
  return own?.email === email ? own : null;
}
