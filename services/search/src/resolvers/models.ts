import type { Thing } from '../hit.ts';

/** What `User` is resolved from: the users subgraph knows the rest. */
export type UserModel = Thing;

/** What `Post` is resolved from: the posts subgraph knows the rest. */
export type PostModel = Thing;

/** What `TextComment` is resolved from: the comments subgraph knows the rest. */
export type TextCommentModel = Thing;
