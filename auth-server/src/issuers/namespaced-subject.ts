import { hash } from 'node:crypto';

/**
 * The id of a user without an account here: a UUID of issuer and `sub` together, as APIs expect ids to be. Hashed, so that nothing an
 * issuer can write into `sub` comes out as another issuer's user; of another version than ids of accounts, so that none is one.
 *
 * @see RFC 9562 §5.8, UUID version 8
 */
export function namespacedSubject(issuer: string, subject: string): string {
  const hex = hash('sha256', JSON.stringify([issuer, subject]), 'hex');
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
