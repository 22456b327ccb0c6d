import { badUserInput } from '@trellis/subgraph-protocol';
import { parseId } from '@trellis/subgraph-kit';
import type { Hit } from './hit.ts';

/** Where a hit is among all of a search. */
export type HitPlace = Pick<Hit, 'rank' | 'id'>;

const CURSOR = /^(\d[\d.e+-]{0,24}) ([0-9a-f-]{36})$/;

/** The cursor of a hit: its place, encoded. */
export function cursorOfHit({ rank, id }: HitPlace): string {
  return Buffer.from(`${rank} ${id}`).toString('base64url');
}

/**
 * Reads `after` or `before` of a search.
 *
 * @throws GraphQLError BAD_USER_INPUT for anything but what {@link cursorOfHit} makes
 */
export function readHitCursor(field: string, value: string | null | undefined): HitPlace | undefined {
  if (value === null || value === undefined) return undefined;
  const [, rank = '', text = ''] = CURSOR.exec(Buffer.from(value, 'base64url').toString()) ?? [];
  const id = parseId(text);
  const place = id !== undefined && isRank(rank) ? { rank, id } : undefined;
  if (place && cursorOfHit(place) === value) return place;
  throw badUserInput(`"${field}" must be the cursor of an item of the list.`, field, value);
}

/** Whether PostgreSQL can read it as a `real`: it rejects what is too large and what is too small. */
function isRank(text: string): boolean {
  const rank = Number(text);
  const single = Math.fround(rank);
  return Number.isFinite(single) && (single !== 0 || rank === 0);
}
