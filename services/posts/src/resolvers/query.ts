import { readCount, readCursor } from '@trellis/subgraph-kit';
import type { QueryResolvers } from '../generated/resolver-types.ts';

/** Root fields that read. */
export const query: QueryResolvers = {
  post: (_root, { id }, { posts }) => posts.load(id),
  posts: (_root, args, { posts }) =>
    posts.list({
      first: readCount('first', args.first, { max: 100, defaultValue: 20 }),
      after: readCursor('after', args.after),
    }),
};
