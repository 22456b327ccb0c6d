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
      revive: (stored: unknown) => (stored === null ? null : revivePost(stored)),
    };
    return mutations.run(call, (transaction) => updatePost(transaction, writer, args.id, change));
  },

  deletePost: (_root, args, { userContext, mutations }, info) => {
    const writer = writerOf(userContext);
    const call = { userId: writer.userId, args, info, revive: (stored: unknown) => stored === true };
    return mutations.run(call, (transaction) => deletePost(transaction, writer, args.id));
  },
};

const DUPLICATE = {
  field: 'input',
  code: 'DUPLICATE_POST',
  message: 'You have a post with this title and body already.',
};

/** A post as stored in JSON. */
type StoredPost = Omit<Post, 'updatedAt'> & { readonly updatedAt: string; readonly metadata: JsonValue };

function revivePost(stored: unknown): Post {
  const post = stored as StoredPost; // written by this file's resolvers
  return { ...post, updatedAt: new Date(post.updatedAt) };
}

function reviveCreated(stored: unknown): CreatedPost {
  const { post, created } = stored as CreatedPost; // written by createPost above
  return { post: revivePost(post), created };
}
