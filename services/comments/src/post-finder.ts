import type { ServiceClient } from '@trellis/service-calls';
import { parseId } from '@trellis/subgraph-kit';
import { z } from 'zod';
import { isVisible, type KnownPostStore, type PostFacts } from './known-post-store.ts';
import type { Viewer } from './viewer.ts';

/** Finds the posts that somebody may comment on. */
export interface PostFinder {
  /** Undefined when there is none that the viewer may see; a malformed id is that of none. */
  find(id: string, viewer: Viewer): Promise<PostFacts | undefined>;
}

const answer = z.object({
  posts: z.array(z.object({ id: z.uuid(), authorId: z.uuid(), published: z.boolean() })),
});

/**
 * Looks among the posts that this service has heard of. Before it says no it asks the posts service itself: a post may have
 * been made, or published, a moment ago.
 *
 * @param posts undefined where the posts service can't be asked
 */
export function createPostFinder(knownPosts: KnownPostStore, posts: ServiceClient | undefined): PostFinder {
  return {
    find: async (text, viewer) => {
      const id = parseId(text);
      if (id === undefined) return undefined;
      const known = await knownPosts.find(id);
      const found = known && isVisible(known, viewer) ? known : await askOwner(posts, id);
      return found && isVisible(found, viewer) ? found : undefined;
    },
  };
}

async function askOwner(posts: ServiceClient | undefined, id: string): Promise<PostFacts | undefined> {
  if (!posts) return undefined;
  return answer.parse(await posts.post('/internal/posts', { ids: [id] })).posts[0];
}
