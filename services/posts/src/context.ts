import type { Mutations, Topic } from '@trellis/subgraph-kit';
import type { UserContext } from '@trellis/subgraph-protocol';
import type { PostLoader } from './post-loader.ts';
import type { Post } from './post.ts';

/** What each resolver of a request receives. */
export interface SubgraphContext {
  /** Who is asking. */
  readonly userContext: UserContext;
  /** Sees what the caller may see. */
  readonly posts: PostLoader;
  readonly mutations: Mutations;
  /** Posts that have just become visible to everybody. */
  readonly postCreated: Topic<Post>;
  /** The event after which a subscription goes on. */
  readonly lastEventId?: string | undefined;
}
