import { randomInt } from 'node:crypto';

/** Consonants alone: nothing that reads as a word, nothing that looks like a digit. RFC 8628 §6.1 */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const PATTERN = new RegExp(`^[${ALPHABET}]*$`);

/** A code for users to type, about 34 bits: `WDJB-MJHT`. */
export function newUserCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return format(letters);
}

/** What a user has typed as the code that was shown; undefined when it can't be one. Case and separators don't matter. */
export function normalizeUserCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  const isPossible = letters.length === LENGTH && PATTERN.test(letters);
  return isPossible ? format(letters) : undefined;
}

function format(letters: string): string {
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}
