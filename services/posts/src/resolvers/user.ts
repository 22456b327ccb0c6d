import { findConnection, idCursor, readPage, type Bounds } from '@trellis/subgraph-kit';
import type { UserResolvers } from '../generated/resolver-types.ts';

const BOUNDS: Bounds = { max: 100, defaultValue: 10 };

/** What this subgraph adds to users. */
export const user: UserResolvers = {
  __resolveReference: ({ id }) => ({ id }),
  posts: ({ id }, args, { posts }) => posts.listByAuthor(id, readPage(args, BOUNDS)),
  postsConnection: ({ id }, args, { posts }) =>
    findConnection(readPage(args, BOUNDS), (page) => posts.listByAuthor(id, page), idCursor),
};
