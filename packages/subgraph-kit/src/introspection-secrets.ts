import { hash, timingSafeEqual } from 'node:crypto';
import { weaknessOf } from '@trellis/runtime';

/**
 * Makes what says whether a header holds one of some secrets, in a time that depends on neither.
 *
 * @param secrets the newest first; undefined: no header does
 * @throws Error where one of them may be guessed: fewer than 128 bits, or not random
 */
export function createSecretCheck(
  secrets: readonly string[] = [],
): (header: string | readonly string[] | undefined) => boolean {
  for (const secret of secrets) {
    const weakness = weaknessOf(secret);
    if (weakness !== undefined) throw new Error(`An introspection secret ${weakness}.`);
  }
  const digests = secrets.map(digestOf);
  return (header) => {
    const sent = digestOf(typeof header === 'string' ? header : '');
    return digests.filter((digest) => timingSafeEqual(digest, sent)).length > 0;
  };
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
