import { hash } from 'node:crypto';
import type { IssuerTrust } from './issuer-trust.ts';

/** What {@link userIdOf} makes. No `sub` may look like it: a caller who may choose a `sub` could choose the id of another user. */
const MADE_HERE = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * The id of a user in the graph: the `sub` of the first issuer's users and of those that are linked to them, and for others a UUID
 * of issuer and `sub` together. A UUID, as subgraphs keep ids in columns of this type; hashed, as nothing that an issuer can write
 * into `sub` may come out as the id of another issuer's user.
 *
 * @see RFC 9562 §5.8, UUID version 8
 */
export function userIdOf(issuer: string, subject: string, { users }: Pick<IssuerTrust, 'users'>): string {
  if (users === 'own') return uuidOf(digest([issuer, subject]));
  return MADE_HERE.test(subject) ? uuidOf(digest([null, subject])) : subject;
}

function digest(parts: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex');
}

/** @param hex at least 32 digits, of which 122 bits are taken */
function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return groups.join('-');
}
