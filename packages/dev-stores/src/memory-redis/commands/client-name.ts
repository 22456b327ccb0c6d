import type { Bytes } from '../bytes.ts';
import { RedisError } from '../errors.ts';

const PRINTABLE = /^[!-~]*$/;

/** @throws RedisError when the name would break CLIENT LIST, whose fields are parted by blanks */
export function clientName(text: Bytes): Bytes {
  if (!PRINTABLE.test(text))
    throw new RedisError('ERR Client names cannot contain spaces, newlines or special characters.');
  return text;
}

/**
 * A text by which a client library describes itself.
 *
 * @param option lower case
 * @throws RedisError for the same reason
 */
export function libraryText(option: string, text: Bytes): Bytes {
  if (!PRINTABLE.test(text))
    throw new RedisError(`ERR ${option} cannot contain spaces, newlines or special characters.`);
  return text;
}
