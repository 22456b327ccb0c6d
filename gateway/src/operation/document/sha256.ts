import { hash as digest } from 'node:crypto';

/** SHA-256 of an operation's text, in lower-case hexadecimal, as clients of persisted queries compute it. */
export function sha256(text: string): string {
  return digest('sha256', text, 'hex');
}
