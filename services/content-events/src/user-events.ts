import { z } from 'zod';

/** A profile was made or changed; the payload is what everybody may see of it now. */
export const USER_SAVED = 'user.saved';

/** The payload of {@link USER_SAVED}. */
export interface UserSaved {
  readonly id: string;
  /** Null until a token or an administrator sets it. */
  readonly name: string | null;
}

/** Reads the payload of {@link USER_SAVED}. */
export const userSaved: z.ZodType<UserSaved> = z.object({ id: z.uuid(), name: z.string().nullable() });
