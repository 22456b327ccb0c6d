import { POST_DELETED, POST_SAVED, type PostDeleted, type PostSaved } from '@trellis/content-events';
import { appendEvent, type SnapshotItem, type SnapshotPage } from '@trellis/events';
import type { Transaction } from '@trellis/postgres';
import type { PostStore } from './post-store.ts';
import type { Post } from './post.ts';

/**
 * Publishes the current state of a post.
 *
 * @param announced whether it has just become visible to everybody
 */
export function publishSaved(transaction: Transaction, post: Post, announced: boolean): Promise<void> {
  return appendEvent(transaction, savedItem(post, announced));
}

/** Publishes that a post is deleted. */
export function publishDeleted(transaction: Transaction, id: string): Promise<void> {
  const payload: PostDeleted = { id };
  return appendEvent(transaction, { type: POST_DELETED, subject: id, payload });
}

/** A page of all posts, for services that have missed events. */
export async function readSnapshot(
  store: PostStore,
  after: string | null,
  limit: number,
): Promise<SnapshotPage> {
  const posts = await store.scan(after, limit);
  const items = posts.map((post) => savedItem(post, false));
  return { items, next: posts.length < limit ? null : (posts.at(-1)?.id ?? null) };
}

function savedItem({ id, authorId, title, body, tags, published }: Post, announced: boolean): SnapshotItem {
  const payload: PostSaved = { id, authorId, title, body, tags, published, announced };
  return { type: POST_SAVED, subject: id, payload };
}
