import {
  findConnection,
  idCursor,
  readCount,
  readCursor,
  readPage,
  type Bounds,
} from '@trellis/subgraph-kit';
import type { PostReference } from '../comment.ts';
import type { PostResolvers } from '../generated/resolver-types.ts';

const BOUNDS: Bounds = { max: 100, defaultValue: 10 };

/** What this subgraph adds to posts. */
export const post: PostResolvers = {
  __resolveReference: (reference) => reference,
  comments: (reference, args, { comments }) =>
    comments.listByPost(visible(reference).id, {
      count: readCount('limit', args.limit, BOUNDS),
      backward: false,
      after: readCursor('after', args.after),
      before: undefined,
    }),
  commentsConnection: (reference, args, { comments }) => {
    const { id } = visible(reference);
    return findConnection(readPage(args, BOUNDS), (page) => comments.listByPost(id, page), idCursor);
  },
  commentCount: (reference, _args, { comments }) => comments.countByPost(visible(reference).id),
};

/**
 * Lets pass only what the posts subgraph has resolved for this caller.
 *
 * @throws Error where the gateway left out what the schema requires
 */
function visible(reference: PostReference): PostReference {
  if (typeof reference.published === 'boolean') return reference;
  throw new Error(
    `The reference to the post ${reference.id} lacks "published", which proves that the caller may see the post.`,
  );
}
