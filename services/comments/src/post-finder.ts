import type { Logger } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { isTransientFailure } from '@trellis/events';
import type { ServiceClient } from '@trellis/subgraph-protocol';
import { parseId } from '@trellis/subgraph-kit';
import DataLoader from 'dataloader';
import { z } from 'zod';
import { isVisible, type KnownPostStore, type PostFacts } from './known-post-store.ts';
import type { Viewer } from './viewer.ts';

/** Finds the posts that someone may comment on. */
export interface PostFinder {
  /** Undefined when there is none that the viewer may see; a malformed id is that of none. */
  find(id: string, viewer: Viewer): Promise<PostFacts | undefined>;
}

const result = z.object({
  posts: z.array(z.object({ id: z.uuid(), authorId: z.uuid(), published: z.boolean() })),
});

/** Milliseconds that the posts service has for its response, well below what a resolver may take. */
const PATIENCE_MS = 1_000;

/** Posts in one call. */
const MAX_IDS = 100;

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
 * @returns a finder that fails for an unknown post while the posts service is unavailable
 */
export function createPostFinder({ knownPosts, posts, logger }: PostFinderOptions): PostFinder {
  const outages = createOutageLog({
    logger,
    failure: 'posts service unavailable; using facts from its events',
    success: 'posts service available again',
    isTransient: isTransientFailure,
  });
  const lookup = posts && createLookup(posts);
  async function ask(lookUp: Lookup, id: string): Promise<PostFacts | undefined> {
    try {
      const found = await lookUp(id);
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
      const found = await (lookup ? ask(lookup, id) : knownPosts.find(id));
      return found && isVisible(found, viewer) ? found : undefined;
    },
  };
}

type Lookup = (id: string) => Promise<PostFacts | undefined>;

/**
 * Asks the owner with one call at a time: what is wanted while it is under way is asked for together in the next one, so that
 * many comments at once cost few requests.
 */
function createLookup(posts: ServiceClient): Lookup {
  let underWay: Promise<unknown> = Promise.resolve();
  const lookups = new DataLoader<string, PostFacts | undefined>(
    (ids) => {
      const asked = askOwner(posts, ids);
      underWay = asked.catch(() => undefined);
      return asked;
    },
    { cache: false, maxBatchSize: MAX_IDS, batchScheduleFn: (send) => void underWay.then(send) },
  );
  return (id) => lookups.load(id);
}

async function askOwner(
  posts: ServiceClient,
  ids: readonly string[],
): Promise<readonly (PostFacts | undefined)[]> {
  const body = { ids: [...new Set(ids)] };
  const response = await posts.post('/internal/posts', body, AbortSignal.timeout(PATIENCE_MS));
  const found = new Map(result.parse(response).posts.map((post) => [post.id, post]));
  return ids.map((id) => found.get(id));
}
