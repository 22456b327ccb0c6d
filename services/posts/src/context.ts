import type { PostLoader } from './post-loader.ts';

/** What each resolver of a request receives. */
export interface SubgraphContext {
  /** Sees what the caller may see. */
  readonly posts: PostLoader;
}
