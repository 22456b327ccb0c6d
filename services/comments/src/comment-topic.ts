import { COMMENT_SAVED, commentSaved } from '@trellis/content-events';
import type { SequencedEvent } from '@trellis/events';
import type { TopicDefinition } from '@trellis/subgraph-kit';
import type { CommentStore } from './comment-store.ts';
import type { PlacedComment } from './comment.ts';

/** New comments, by the id of their post, as they are when the event is read. */
export function commentAddedTopic(store: CommentStore): TopicDefinition<PlacedComment> {
  return {
    name: 'commentAdded',
    read: async (events) => {
      const ids = events.map(announcedId);
      const placed = await store.findPlaced([...new Set(ids.filter((id) => id !== undefined))]);
      const placedById = new Map(placed.map((one) => [one.comment.id, one]));
      return ids.map((id) => {
        const item = id === undefined ? undefined : placedById.get(id);
        return item && { key: item.comment.postId, item };
      });
    },
  };
}

function announcedId({ type, payload }: SequencedEvent): string | undefined {
  if (type !== COMMENT_SAVED) return undefined;
  const { id, announced } = commentSaved.parse(payload);
  return announced ? id : undefined;
}
