import type { Profile } from '../profile.ts';

/** What `User` is resolved from. */
export type UserModel = Profile;
