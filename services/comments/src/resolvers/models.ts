import type { Comment, PostReference } from '../comment.ts';

/** What `TextComment` is resolved from. */
export type TextCommentModel = Comment;

/** What `Post` is resolved from: the posts subgraph knows the rest. */
export type PostModel = PostReference;

/** What `User` is resolved from: the users subgraph knows the rest. */
export interface UserModel {
  readonly id: string;
}
