import { hasRole } from '@trellis/subgraph-kit';
import type { UserResolvers } from '../generated/resolver-types.ts';
import { displayName } from '../profile.ts';

/** Fields of a user that are more than a column. */
export const user: UserResolvers = {
  __resolveReference: ({ id }, { profiles }) => profiles.load(id),
  name: (profile) => displayName(profile),
  email: ({ id, email }, _args, { userContext }) =>
    id === userContext.user?.id || hasRole(userContext, 'ADMIN') ? email : null,
};
