import { badUserInput, forbidden } from '@trellis/subgraph-protocol';
import type { Transaction } from '@trellis/postgres';
import { createId, parseId, readText } from '@trellis/subgraph-kit';
import { commentRecords } from './comment-records.ts';
import { publishDeleted, publishSaved } from './publish-comment.ts';
import type { Comment } from './comment.ts';
import type { KnownPostStore, PostFacts } from './known-post-store.ts';
import type { Writer } from './viewer.ts';

/** A comment to be written. */
export interface NewComment {
  /** As the client sent it. */
  readonly postId: string;
  /** Undefined when there is no such post that the writer may see. */
  readonly post: PostFacts | undefined;
  readonly body: string;
}

const MAX_BODY_LENGTH = 10_000;

/** @throws GraphQLError BAD_USER_INPUT when the words are not acceptable */
export function readBody(body: string): string {
  return readText('body', body, { maxLength: MAX_BODY_LENGTH, multiline: true });
}

/**
 * Writes a comment.
 *
 * @throws GraphQLError BAD_USER_INPUT when there is no such post that the writer may see; one that is hidden and one that does
 * not exist are the same
 */
export async function addComment(
  transaction: Transaction,
  knownPosts: KnownPostStore,
  { userId }: Writer,
  { postId, post, body }: NewComment,
): Promise<Comment> {
  if (!post || !(await knownPosts.hold(transaction, post))) {
    throw badUserInput('There is no such post.', 'postId', postId);
  }
  const comment: Comment = { id: createId(), postId: post.id, authorId: userId, body, edited: false };
  await commentRecords(transaction).insert(comment);
  await publishSaved(transaction, comment, true);
  return comment;
}

/**
 * Replaces the words of a comment.
 *
 * @returns null when there is none that the writer may see
 * @throws GraphQLError FORBIDDEN when it is another's
 */
export async function editComment(
  transaction: Transaction,
  writer: Writer,
  id: string,
  body: string,
): Promise<Comment | null> {
  const before = await lockForWriting(transaction, writer, id);
  if (!before) return null;
  const after = await commentRecords(transaction).edit(before.id, body);
  await publishSaved(transaction, after, false);
  return after;
}

/**
 * Deletes a comment.
 *
 * @returns whether there was one that the writer may see
 * @throws GraphQLError FORBIDDEN when it is another's
 */
export async function deleteComment(transaction: Transaction, writer: Writer, id: string): Promise<boolean> {
  const comment = await lockForWriting(transaction, writer, id);
  if (!comment) return false;
  await commentRecords(transaction).remove(comment.id);
  await publishDeleted(transaction, comment);
  return true;
}

async function lockForWriting(
  transaction: Transaction,
  writer: Writer,
  text: string,
): Promise<Comment | undefined> {
  const id = parseId(text);
  const comment = id === undefined ? undefined : await commentRecords(transaction).lock(id, writer);
  if (comment && !writer.isEditor && comment.authorId !== writer.userId) {
    throw forbidden('Only its author and editors change a comment.');
  }
  return comment;
}
