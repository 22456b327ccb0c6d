import { readFileSync } from 'node:fs';
import { readPasswordFilter, type PasswordFilter } from './password-filter.ts';

const FILE = new URL('../../src/passwords/generated/common-passwords.txt', import.meta.url);

let filter: PasswordFilter | undefined;

/** Whether a password is one of the 100,000 that users choose most, in upper or lower case. Read at the first use. */
export function isCommonPassword(password: string): boolean {
  filter ??= readPasswordFilter(readFilter());
  return filter.has(password.toLowerCase());
}

/** The first line says where the file comes from. */
function readFilter(): Uint8Array {
  const [, ...lines] = readFileSync(FILE, 'utf8').split('\n');
  return Buffer.from(lines.join(''), 'base64');
}
