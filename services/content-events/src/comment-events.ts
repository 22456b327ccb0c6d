import { z } from 'zod';

/** A comment was written or changed; the payload is what it is now. */
export const COMMENT_SAVED = 'comment.saved';

/** A comment is gone. */
export const COMMENT_DELETED = 'comment.deleted';

/** The payload of {@link COMMENT_SAVED}. */
export interface CommentSaved {
  readonly id: string;
  readonly postId: string;
  readonly authorId: string;
  readonly body: string;
  readonly edited: boolean;
  /** Whether it is new: subscribers of commentAdded hear of it. */
  readonly announced: boolean;
}

/** The payload of {@link COMMENT_DELETED}. */
export interface CommentDeleted {
  readonly id: string;
  readonly postId: string;
}

/** Reads the payload of {@link COMMENT_SAVED}. */
export const commentSaved: z.ZodType<CommentSaved> = z.object({
  id: z.uuid(),
  postId: z.uuid(),
  authorId: z.uuid(),
  body: z.string(),
  edited: z.boolean(),
  announced: z.boolean(),
});

/** Reads the payload of {@link COMMENT_DELETED}. */
export const commentDeleted: z.ZodType<CommentDeleted> = z.object({ id: z.uuid(), postId: z.uuid() });
