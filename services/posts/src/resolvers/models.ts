import type { Post } from '../post.ts';

/** What `Post` is resolved from. */
export type PostModel = Post;

/** What `User` is resolved from: the users subgraph knows the rest. */
export interface UserModel {
  readonly id: string;
}
