import type { Mutations } from '@trellis/subgraph-kit';
import type { UserContext } from '@trellis/user-context';
import type { PostLoader } from './post-loader.ts';

/** What each resolver of a request receives. */
export interface SubgraphContext {
  /** Who is asking. */
  readonly userContext: UserContext;
  /** Sees what the caller may see. */
  readonly posts: PostLoader;
  readonly mutations: Mutations;
}
