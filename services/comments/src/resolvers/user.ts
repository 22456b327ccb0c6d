import { findConnection, idCursor, readPage } from '@trellis/subgraph-kit';
import type { UserResolvers } from '../generated/resolver-types.ts';

/** What this subgraph adds to users. */
export const user: UserResolvers = {
  __resolveReference: ({ id }) => ({ id }),
  commentsConnection: ({ id }, args, { comments }) =>
    findConnection(
      readPage(args, { max: 100, defaultValue: 10 }),
      (page) => comments.listByAuthor(id, page),
      idCursor,
    ),
};
