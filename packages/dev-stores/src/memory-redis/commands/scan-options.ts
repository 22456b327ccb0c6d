import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import type { Reply } from '../protocol/reply.ts';
import { matchesGlob } from '../values/glob.ts';
import { argument, ArgumentReader, numberArgument } from './arguments.ts';

/** What SCAN and its kin are asked for. */
export interface ScanOptions {
  readonly pattern: Bytes | undefined;
  readonly count: number;
  /** The kind of value; only of SCAN. */
  readonly type: string | undefined;
}

const DEFAULT_COUNT = 10;
const CURSOR = /^\d{1,20}$/;

/** @throws RedisError when it is no cursor */
export function cursorArgument(text: Bytes): number {
  if (!CURSOR.test(text)) throw new RedisError(messages.invalidCursor);
  return Number(text);
}

/** @throws RedisError for an unknown option, or a count below 1 */
export function scanOptions(reader: ArgumentReader, withType: boolean): ScanOptions {
  let pattern: Bytes | undefined;
  let count = DEFAULT_COUNT;
  let type: string | undefined;
  while (!reader.done) {
    const option = reader.option();
    if (option === 'MATCH') pattern = reader.next();
    else if (option === 'COUNT') count = numberArgument(reader.next());
    else if (option === 'TYPE' && withType) type = reader.next().toLowerCase();
    else throw new RedisError(messages.syntax);
  }
  if (count < 1) throw new RedisError(messages.syntax);
  return { pattern, count, type };
}

/**
 * Answers HSCAN, SSCAN and ZSCAN: all at once, with the cursor 0, as Redis does for small collections. COUNT is only a
 * hint there, too.
 *
 * @param items what is found: a name, and what the reply tells of it
 */
export function scanCollection(
  args: readonly Bytes[],
  items: Iterable<readonly [Bytes, readonly Reply[]]>,
): Reply {
  cursorArgument(argument(args, 1));
  const { pattern } = scanOptions(new ArgumentReader(args, 2), false);
  const found: Reply[] = [];
  for (const [name, shown] of items)
    if (pattern === undefined || matchesGlob(pattern, name)) found.push(...shown);
  return ['0', found];
}
