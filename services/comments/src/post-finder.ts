import type { Logger } from '@trellis/deployable';
import { createOutageLog } from '@trellis/events';
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

/** Milliseconds that the posts service has for its answer, well below what a resolver may take. */
const PATIENCE_MS = 1_000;

/** What {@link createPostFinder} needs. */
export interface PostFinderOptions {
  readonly knownPosts: KnownPostStore;
  /** Undefined where the posts service can't be asked. */
  readonly posts: ServiceClient | undefined;
  readonly logger: Logger;
}

/**
 * Asks the posts service itself: a post may have been made, published, hidden or deleted a moment ago. While that can't be asked,
 * what this service has heard of posts counts.
 *
 * @returns a finder that fails for a post that nobody has told of while the posts service can't be asked
 */
export function createPostFinder({ knownPosts, posts, logger }: PostFinderOptions): PostFinder {
  const outages = createOutageLog({
    logger,
    failure: 'could not ask the posts service; what it has told counts',
    success: 'asks the posts service again',
  });
  async function ask(client: ServiceClient, id: string): Promise<PostFacts | undefined> {
    try {
      const found = await askOwner(client, id);
      outages.succeeded();
      return found;
    } catch (error) {
      outages.failed(error);
      const known = await knownPosts.find(id);
      if (known) return known;
      throw error;
    }
  }
  return {
    find: async (text, viewer) => {
      const id = parseId(text);
      if (id === undefined) return undefined;
      const found = await (posts ? ask(posts, id) : knownPosts.find(id));
      return found && isVisible(found, viewer) ? found : undefined;
    },
  };
}

async function askOwner(posts: ServiceClient, id: string): Promise<PostFacts | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return answer.parse(await posts.post('/internal/posts', { ids: [id] }, signal)).posts[0];
}
