import { addComment, deleteComment, editComment, readBody } from '../comment-writer.ts';
import type { Comment } from '../comment.ts';
import type { MutationResolvers } from '../generated/resolver-types.ts';
import { writerOf } from '../viewer.ts';

/** Root fields that write. */
export const mutation: MutationResolvers = {
  addComment: async (_root, args, { userContext, knownPosts, postFinder, mutations }, info) => {
    const writer = writerOf(userContext);
    const body = readBody(args.body);
    const post = await postFinder.find(args.postId, writer);
    const call = { userId: writer.userId, args, info, revive: (stored: unknown) => stored as Comment };
    return mutations.run(call, (transaction) =>
      addComment(transaction, knownPosts, writer, { postId: args.postId, post, body }),
    );
  },

  editComment: (_root, args, { userContext, mutations }, info) => {
    const writer = writerOf(userContext);
    const body = readBody(args.body);
    const call = { userId: writer.userId, args, info, revive: (stored: unknown) => stored as Comment | null };
    return mutations.run(call, (transaction) => editComment(transaction, writer, args.id, body));
  },

  deleteComment: (_root, args, { userContext, mutations }, info) => {
    const writer = writerOf(userContext);
    const call = { userId: writer.userId, args, info, revive: (stored: unknown) => stored === true };
    return mutations.run(call, (transaction) => deleteComment(transaction, writer, args.id));
  },
};
