import { isEditor, parseId, requireUserId, type JsonValue } from '@trellis/subgraph-kit';
import type { UserContext } from '@trellis/subgraph-protocol';

/** A post as it is stored. The id carries the time of creation. */
export interface Post {
  readonly id: string;
  readonly authorId: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  readonly metadata: JsonValue;
  readonly published: boolean;
  readonly updatedAt: Date;
}

/** Whose eyes a read is for. A post that is not published is for its author, editors and administrators. */
export interface Viewer {
  /** Null for no one in particular. */
  readonly userId: string | null;
  readonly seesAllDrafts: boolean;
}

/** Sees every post: for those who judge for themselves who may see what. */
export const EVERYTHING: Viewer = { userId: null, seesAllDrafts: true };

/** The viewer behind a request. */
export function viewerOf(context: UserContext): Viewer {
  return { userId: parseId(context.user?.id ?? '') ?? null, seesAllDrafts: isEditor(context) };
}

/** A viewer who writes: a user of the graph. */
export interface Writer extends Viewer {
  readonly userId: string;
}

/**
 * The writer behind a request.
 *
 * @throws GraphQLError UNAUTHENTICATED or FORBIDDEN when there is no user behind it
 */
export function writerOf(context: UserContext): Writer {
  return { userId: requireUserId(context), seesAllDrafts: isEditor(context) };
}

/** Whether a viewer sees a post. */
export function isVisible(post: Pick<Post, 'published' | 'authorId'>, viewer: Viewer): boolean {
  return post.published || seesDraftsOf(viewer, post.authorId);
}

/** Whether a viewer sees the drafts of an author. */
export function seesDraftsOf(viewer: Viewer, authorId: string): boolean {
  return viewer.seesAllDrafts || viewer.userId === authorId;
}
