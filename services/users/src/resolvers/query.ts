import { readCount } from '@trellis/subgraph-kit';
import type { QueryResolvers } from '../generated/resolver-types.ts';

/** Root fields that read. */
export const query: QueryResolvers = {
  user: (_root, { id }, { profiles }) => profiles.load(id),
  users: (_root, args, { store }) =>
    store.list({
      limit: readCount('limit', args.limit, { max: 100, defaultValue: 20 }),
      offset: readCount('offset', args.offset, { max: 10_000, defaultValue: 0 }),
    }),
  me: (_root, _args, { userContext, profiles }) =>
    userContext.user ? profiles.load(userContext.user.id) : null,
};
