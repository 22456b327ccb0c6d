import type { JsonValue } from '@trellis/subgraph-kit';
import type { MutationResolvers } from '../generated/resolver-types.ts';
import { readNewPost, readPostChange } from '../post-input.ts';
import { createPost, deletePost, requireAuthorship, updatePost, type CreatedPost } from '../post-writer.ts';
import { writerOf, type Post } from '../post.ts';

/** Root fields that write. */
export const mutation: MutationResolvers = {
  createPost: async (_root, args, { userContext, mutations }, info) => {
    const writer = writerOf(userContext);
    requireAuthorship(writer);
    const newPost = readNewPost(args.input);
    const call = { userId: writer.userId, args, info, revive: reviveCreated };
    const { post, created } = await mutations.run(call, (transaction) =>
      createPost(transaction, writer, newPost),
    );
    return { post, success: created, errors: created ? [] : [DUPLICATE] };
  },

  updatePost: (_root, args, { userContext, mutations }, info) => {
    const writer = writerOf(userContext);
    const change = readPostChange(args.input);
    const call = {
      userId: writer.userId,
      args,
      info,
      revive: (kept: unknown) => (kept === null ? null : revivePost(kept)),
    };
    return mutations.run(call, (transaction) => updatePost(transaction, writer, args.id, change));
  },

  deletePost: (_root, args, { userContext, mutations }, info) => {
    const writer = writerOf(userContext);
    const call = { userId: writer.userId, args, info, revive: (kept: unknown) => kept === true };
    return mutations.run(call, (transaction) => deletePost(transaction, writer, args.id));
  },
};

const DUPLICATE = {
  field: 'input',
  code: 'DUPLICATE_POST',
  message: 'You have a post with this title and body already.',
};

/** A post as JSON keeps it. */
type KeptPost = Omit<Post, 'updatedAt'> & { readonly updatedAt: string; readonly metadata: JsonValue };

function revivePost(kept: unknown): Post {
  const post = kept as KeptPost; // written by this file's resolvers
  return { ...post, updatedAt: new Date(post.updatedAt) };
}

function reviveCreated(kept: unknown): CreatedPost {
  const { post, created } = kept as CreatedPost; // written by createPost above
  return { post: revivePost(post), created };
}
