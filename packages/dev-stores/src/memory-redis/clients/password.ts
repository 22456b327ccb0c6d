import { createHash, timingSafeEqual } from 'node:crypto';
import type { Bytes } from '../bytes.ts';

/** A password that is only ever compared. */
export interface Password {
  /** Takes the same time whatever differs. */
  matches(candidate: Bytes): boolean;
}

/** @param password as bytes, in UTF-8 */
export function createPassword(password: Bytes): Password {
  const expected = digest(password);
  return { matches: (candidate) => timingSafeEqual(expected, digest(candidate)) };
}

function digest(bytes: Bytes): Buffer {
  return createHash('sha256').update(bytes, 'latin1').digest();
}
