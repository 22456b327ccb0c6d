import { findConnection, idCursor, readPage, type Bounds } from '@trellis/subgraph-kit';
import type { QueryResolvers } from '../generated/resolver-types.ts';

const BOUNDS: Bounds = { max: 100, defaultValue: 20 };

/** Root fields that read. */
export const query: QueryResolvers = {
  post: (_root, { id }, { posts }) => posts.load(id),
  posts: (_root, args, { posts }) => posts.list(readPage(args, BOUNDS)),
  postsConnection: (_root, args, { posts }) => findConnection(readPage(args, BOUNDS), posts.list, idCursor),
};
