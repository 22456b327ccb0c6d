import { POST_DELETED, POST_SAVED, postDeleted, postSaved } from '@trellis/content-events';
import type { EventHandler } from '@trellis/events';
import { removeCommentsOfPosts } from './comment-records.ts';
import type { KnownPostStore } from './known-post-store.ts';

/** Keeps what this service knows of posts, and deletes the comments of those that are gone. */
export function createPostEventsHandler(knownPosts: KnownPostStore): EventHandler {
  return {
    apply: async (transaction, { type, payload }) => {
      if (type === POST_SAVED) await knownPosts.save(transaction, [postSaved.parse(payload)]);
      if (type !== POST_DELETED) return;
      const { id } = postDeleted.parse(payload);
      await knownPosts.markDeleted(transaction, id);
      await removeCommentsOfPosts(transaction, [id]);
    },
    beginSnapshot: (transaction) => knownPosts.markStale(transaction),
    restore: (transaction, items) =>
      knownPosts.save(
        transaction,
        items.filter(({ type }) => type === POST_SAVED).map(({ payload }) => postSaved.parse(payload)),
      ),
    endSnapshot: async (transaction) => {
      await removeCommentsOfPosts(transaction, await knownPosts.markStaleDeleted(transaction));
    },
  };
}
