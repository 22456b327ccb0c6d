import { isEditor, parseId, requireUserId } from '@trellis/subgraph-kit';
import type { UserContext } from '@trellis/subgraph-protocol';

/** Whose eyes a read is for. A post that is not published is for its author, editors and administrators. */
export interface Viewer {
  /** Null for no one in particular. */
  readonly userId: string | null;
  readonly isEditor: boolean;
}

/** A viewer who writes: a user of the graph. */
export interface Writer extends Viewer {
  readonly userId: string;
}

/** The viewer behind a request. */
export function viewerOf(context: UserContext): Viewer {
  return { userId: parseId(context.user?.id ?? '') ?? null, isEditor: isEditor(context) };
}

/**
 * The writer behind a request.
 *
 * @throws GraphQLError UNAUTHENTICATED or FORBIDDEN when there is no user behind it
 */
export function writerOf(context: UserContext): Writer {
  return { userId: requireUserId(context), isEditor: isEditor(context) };
}
