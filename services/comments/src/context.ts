import type { Mutations, Topic } from '@trellis/subgraph-kit';
import type { UserContext } from '@trellis/subgraph-protocol';
import type { CommentLoader } from './comment-loader.ts';
import type { PlacedComment } from './comment.ts';
import type { KnownPostStore } from './known-post-store.ts';
import type { PostFinder } from './post-finder.ts';

/** What each resolver of a request receives. */
export interface SubgraphContext {
  /** Who is asking. */
  readonly userContext: UserContext;
  /** Sees what the caller may see. */
  readonly comments: CommentLoader;
  readonly knownPosts: KnownPostStore;
  readonly postFinder: PostFinder;
  readonly mutations: Mutations;
  /** New comments, by the id of their post. */
  readonly commentAdded: Topic<PlacedComment>;
  /** The event after which a subscription goes on. */
  readonly lastEventId?: string | undefined;
}
