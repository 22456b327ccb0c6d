import { badUserInput } from '@trellis/subgraph-protocol';
import { parseId } from '@trellis/subgraph-kit';
import type { Profile } from './profile.ts';

/** Where a profile is among all of them, which are ordered by their age and then by their ids. */
export type ProfilePlace = Pick<Profile, 'createdAt' | 'id'>;

const CURSOR = /^(\d{1,14}) ([0-9a-f-]{36})$/;
/** The last moment whose year has four digits, in milliseconds since 1970. */
const LATEST_MS = 253_402_300_799_999;

/** The cursor of a profile: its place, encoded, so that no one takes it for an id. */
export function cursorOfProfile({ createdAt, id }: ProfilePlace): string {
  return Buffer.from(`${createdAt.getTime()} ${id}`).toString('base64url');
}

/**
 * Reads `after` or `before` of a list of users. The profile need not exist, and is not looked up.
 *
 * @throws GraphQLError BAD_USER_INPUT for anything but what {@link cursorOfProfile} makes
 */
export function readProfileCursor(field: string, value: string | null | undefined): ProfilePlace | undefined {
  if (value === null || value === undefined) return undefined;
  const [, milliseconds = '', text = ''] = CURSOR.exec(Buffer.from(value, 'base64url').toString()) ?? [];
  const [id, time] = [parseId(text), Number(milliseconds)];
  const place = id !== undefined && time <= LATEST_MS ? { createdAt: new Date(time), id } : undefined;
  if (place && cursorOfProfile(place) === value) return place;
  throw badUserInput(`"${field}" must be the cursor of an item of the list.`, field, value);
}
