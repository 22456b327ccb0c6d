import type { Hit } from '../hit.ts';

/** What `User` is resolved from: the users subgraph knows the rest. */
export type UserModel = Hit;

/** What `Post` is resolved from: the posts subgraph knows the rest. */
export type PostModel = Hit;

/** What `TextComment` is resolved from: the comments subgraph knows the rest. */
export type TextCommentModel = Hit;
