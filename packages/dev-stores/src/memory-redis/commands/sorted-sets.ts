import type { Bytes } from '../bytes.ts';
import { SortedSet } from '../keyspace/sorted-set.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { double, type Reply } from '../protocol/reply.ts';
import { argument } from './arguments.ts';
import { onKeys, type Call, type Command } from './command.ts';
import { add } from './sorted-set-add.ts';

/** Values that are members in the order of their scores; ranges of them are in `sorted-set-ranges.ts`. */
export const sortedSetCommands: readonly Command[] = [
  onKeys('zadd', -4, add),
  onKeys('zrem', -3, remove),
  onKeys('zcard', 2, ({ args, keyspace }) => sortedSetOf(keyspace, argument(args, 0)).size),
  onKeys('zscore', 3, ({ args, keyspace }) =>
    double(sortedSetOf(keyspace, argument(args, 0)).score(argument(args, 1))),
  ),
];

const EMPTY = new SortedSet();

/** @throws RedisError WRONGTYPE when the key holds something else */
export function sortedSetOf(keyspace: Keyspace, key: Bytes): SortedSet {
  return keyspace.read(key, 'zset')?.members ?? EMPTY;
}

function remove({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const members = keyspace.read(key, 'zset')?.members;
  const removed = args.slice(1).filter((member) => members?.delete(member)).length;
  if (removed > 0) keyspace.changed(key);
  return removed;
}
