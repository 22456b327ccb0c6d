import { POST_SAVED, postSaved } from '@trellis/content-events';
import type { SequencedEvent } from '@trellis/events';
import type { TopicDefinition } from '@trellis/subgraph-kit';
import type { PostStore } from './post-store.ts';
import { EVERYTHING, type Post } from './post.ts';

/** Posts that have just become visible to everybody, as they are when the event is read. */
export function postCreatedTopic(store: PostStore): TopicDefinition<Post> {
  return {
    name: 'postCreated',
    read: async (events) => {
      const ids = events.map(announcedId);
      const posts = await store.findByIds([...new Set(ids.filter((id) => id !== undefined))], EVERYTHING);
      const postsById = new Map(posts.map((post) => [post.id, post]));
      return ids.map((id) => {
        const item = id === undefined ? undefined : postsById.get(id);
        return item && { key: '', item };
      });
    },
  };
}

function announcedId({ type, payload }: SequencedEvent): string | undefined {
  if (type !== POST_SAVED) return undefined;
  const { id, announced } = postSaved.parse(payload);
  return announced ? id : undefined;
}
