import type { CommentLoader } from './comment-loader.ts';

/** What each resolver of a request receives. */
export interface SubgraphContext {
  readonly comments: CommentLoader;
}
