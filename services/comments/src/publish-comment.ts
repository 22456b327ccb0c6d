import {
  COMMENT_DELETED,
  COMMENT_SAVED,
  type CommentDeleted,
  type CommentSaved,
} from '@trellis/content-events';
import { appendEvent, type SnapshotItem, type SnapshotPage } from '@trellis/events';
import type { Transaction } from '@trellis/postgres';
import type { CommentStore } from './comment-store.ts';
import type { Comment } from './comment.ts';

/**
 * Publishes the current state of a comment.
 *
 * @param announced whether it is new
 */
export function publishSaved(transaction: Transaction, comment: Comment, announced: boolean): Promise<void> {
  return appendEvent(transaction, savedItem(comment, announced));
}

/** Publishes that a comment is deleted. */
export function publishDeleted(transaction: Transaction, { id, postId }: Comment): Promise<void> {
  const payload: CommentDeleted = { id, postId };
  return appendEvent(transaction, { type: COMMENT_DELETED, subject: id, payload });
}

/** A page of all comments, for services that have missed events. */
export async function readSnapshot(
  store: CommentStore,
  after: string | null,
  limit: number,
): Promise<SnapshotPage> {
  const comments = await store.scan(after, limit);
  const items = comments.map((comment) => savedItem(comment, false));
  return { items, next: comments.length < limit ? null : (comments.at(-1)?.id ?? null) };
}

function savedItem({ id, postId, authorId, body, edited }: Comment, announced: boolean): SnapshotItem {
  const payload: CommentSaved = { id, postId, authorId, body, edited, announced };
  return { type: COMMENT_SAVED, subject: id, payload };
}
