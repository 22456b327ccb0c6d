import { readCount, readCursor } from '@trellis/subgraph-kit';
import type { UserResolvers } from '../generated/resolver-types.ts';

/** What this subgraph adds to users. */
export const user: UserResolvers = {
  __resolveReference: ({ id }) => ({ id }),
  posts: ({ id }, args, { posts }) =>
    posts.listByAuthor(id, {
      first: readCount('first', args.first, { max: 100, defaultValue: 10 }),
      after: readCursor('after', args.after),
    }),
};
