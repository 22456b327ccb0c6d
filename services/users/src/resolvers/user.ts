import { hasRole, parseId } from '@trellis/subgraph-kit';
import type { UserResolvers } from '../generated/resolver-types.ts';
import { displayName, nameless } from '../profile.ts';

/** Fields of a user that are more than a column. */
export const user: UserResolvers = {
  // A reference comes from what someone has written, and must be answered; `Query.user` shows who has a profile.
  __resolveReference: async ({ id: text }, { profiles }) => {
    const id = parseId(text);
    return id === undefined ? null : ((await profiles.load(id)) ?? nameless(id));
  },
  name: (profile) => displayName(profile),
  email: ({ id, email }, _args, { userContext }) =>
    id === userContext.user?.id || hasRole(userContext, 'ADMIN') ? email : null,
};
