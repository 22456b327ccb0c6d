import { POST_DELETED, POST_SAVED, postDeleted, postSaved, type PostSaved } from '@trellis/content-events';
import type { EventHandler, SequencedEvent } from '@trellis/events';
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

/** Posts that are saved one after the other are saved in one statement, as long as it is not the same one again. */
async function applyAll(
  knownPosts: KnownPostStore,
  transaction: Transaction,
  events: readonly SequencedEvent[],
): Promise<void> {
  const saved = new Map<string, PostSaved>();
  const flush = async (): Promise<void> => {
    if (saved.size > 0) await knownPosts.save(transaction, [...saved.values()]);
    saved.clear();
  };
  for (const { type, subject, payload } of events) {
    if (saved.has(subject) || type === POST_DELETED) await flush();
    if (type === POST_SAVED) saved.set(subject, postSaved.parse(payload));
    if (type === POST_DELETED) await removePost(knownPosts, transaction, postDeleted.parse(payload).id);
  }
  await flush();
}

async function removePost(knownPosts: KnownPostStore, transaction: Transaction, id: string): Promise<void> {
  await knownPosts.markDeleted(transaction, id);
  await removeCommentsOfPosts(transaction, [id]);
}
