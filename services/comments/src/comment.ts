import type { PostFacts } from './known-post-store.ts';

/** A comment as it is stored. The id carries the time of creation. */
export interface Comment {
  readonly id: string;
  readonly postId: string;
  readonly authorId: string;
  readonly body: string;
  readonly edited: boolean;
}

/** A comment with what matters of the post that it is on. */
export interface PlacedComment {
  readonly comment: Comment;
  readonly post: PostFacts;
}

/** What this subgraph knows of a post. */
export interface PostReference {
  readonly id: string;
  /**
   * Present only where the posts subgraph has resolved the post for this caller: the gateway asks it for this field before
   * it asks for comments (`@requires`), and it answers for no one who is denied the post.
   */
  readonly published?: boolean;
}
