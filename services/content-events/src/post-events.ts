import { z } from 'zod';

/** A post was created or changed; the payload is what it is now. */
export const POST_SAVED = 'post.saved';

/** A post is gone, and with it all that hangs on it. */
export const POST_DELETED = 'post.deleted';

/** The payload of {@link POST_SAVED}. */
export interface PostSaved {
  readonly id: string;
  readonly authorId: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  readonly published: boolean;
  /** Whether the post has just become visible to everybody: subscribers of postCreated hear of it. */
  readonly announced: boolean;
}

/** The payload of {@link POST_DELETED}. */
export interface PostDeleted {
  readonly id: string;
}

/** Reads the payload of {@link POST_SAVED}. */
export const postSaved: z.ZodType<PostSaved> = z.object({
  id: z.uuid(),
  authorId: z.uuid(),
  title: z.string(),
  body: z.string(),
  tags: z.array(z.string()),
  published: z.boolean(),
  announced: z.boolean(),
});

/** Reads the payload of {@link POST_DELETED}. */
export const postDeleted: z.ZodType<PostDeleted> = z.object({ id: z.uuid() });
