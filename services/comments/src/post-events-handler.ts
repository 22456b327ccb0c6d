import { POST_DELETED, POST_SAVED, postDeleted, postSaved, type PostSaved } from '@trellis/content-events';
import { applyBatches, type EventHandler, type SequencedEvent } from '@trellis/events';
import type { Transaction } from '@trellis/postgres';
import { removeCommentsOfPosts } from './comment-records.ts';
import type { KnownPostStore } from './known-post-store.ts';

/** Keeps what this service knows of posts, and deletes the comments of those that are gone. */
export function createPostEventsHandler(knownPosts: KnownPostStore): EventHandler {
  return {
    apply: (transaction, event) => applyAll(knownPosts, transaction, [event]),
    applyAll: (transaction, events) => applyAll(knownPosts, transaction, events),
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

function applyAll(
  knownPosts: KnownPostStore,
  transaction: Transaction,
  events: readonly SequencedEvent[],
): Promise<void> {
  return applyBatches<PostSaved>(events, {
    readSaved: ({ type, payload }) => (type === POST_SAVED ? postSaved.parse(payload) : undefined),
    save: (posts) => knownPosts.save(transaction, posts),
    applyOther: async ({ type, payload }) => {
      if (type === POST_DELETED) await removePost(knownPosts, transaction, postDeleted.parse(payload).id);
    },
  });
}

async function removePost(knownPosts: KnownPostStore, transaction: Transaction, id: string): Promise<void> {
  await knownPosts.markDeleted(transaction, id);
  await removeCommentsOfPosts(transaction, [id]);
}
