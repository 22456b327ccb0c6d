import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import { SortedSet } from '../keyspace/sorted-set.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { double, type Reply } from '../protocol/reply.ts';
import { formatDouble } from '../values/double.ts';
import { argument, doubleArgument, positiveArgument } from './arguments.ts';
import { reads, writes, type Call, type Command } from './command.ts';
import { scanCollection } from './scan-options.ts';
import { add } from './sorted-set-add.ts';

/** Values that are members in the order of their scores; ranges of them are in `sorted-set-ranges.ts`. */
export const sortedSetCommands: readonly Command[] = [
  writes('zadd', -4, add),
  writes('zincrby', 4, increase),
  writes('zrem', -3, remove),
  reads('zcard', 2, ({ args, keyspace }) => sortedSetOf(keyspace, argument(args, 0)).size),
  reads('zscore', 3, ({ args, keyspace }) =>
    double(sortedSetOf(keyspace, argument(args, 0)).score(argument(args, 1))),
  ),
  reads('zmscore', -3, tellScores),
  reads(
    'zrank',
    3,
    ({ args, keyspace }) => sortedSetOf(keyspace, argument(args, 0)).rank(argument(args, 1)) ?? null,
  ),
  reads('zrevrank', 3, tellReversedRank),
  writes('zpopmin', -2, (call) => pop(call, 'lowest')),
  writes('zpopmax', -2, (call) => pop(call, 'highest')),
  reads('zscan', -3, scan),
];

const EMPTY = new SortedSet();

/** @throws RedisError WRONGTYPE when the key holds something else */
export function sortedSetOf(keyspace: Keyspace, key: Bytes): SortedSet {
  return keyspace.read(key, 'zset')?.members ?? EMPTY;
}

function increase({ args, keyspace }: Call): Reply {
  const [key, member] = [argument(args, 0), argument(args, 2)];
  const amount = doubleArgument(argument(args, 1));
  const score = (sortedSetOf(keyspace, key).score(member) ?? 0) + amount;
  if (Number.isNaN(score)) throw new RedisError(messages.notANumber);
  keyspace.obtain(key, 'zset').members.set(member, score);
  keyspace.changed(key);
  return double(score);
}

function remove({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const members = keyspace.read(key, 'zset')?.members;
  const removed = args.slice(1).filter((member) => members?.delete(member)).length;
  if (removed > 0) keyspace.changed(key);
  return removed;
}

function tellScores({ args, keyspace }: Call): Reply {
  const members = sortedSetOf(keyspace, argument(args, 0));
  return args.slice(1).map((member) => double(members.score(member)));
}

function tellReversedRank({ args, keyspace }: Call): Reply {
  const members = sortedSetOf(keyspace, argument(args, 0));
  const rank = members.rank(argument(args, 1));
  return rank === undefined ? null : members.size - 1 - rank;
}

/** Without a count the reply is one flat array, with one it is pairs. */
function pop({ args, keyspace }: Call, end: 'lowest' | 'highest'): Reply {
  if (args.length > 2) throw new RedisError(messages.syntax);
  const key = argument(args, 0);
  const limit = args[1] === undefined ? undefined : positiveArgument(args[1]);
  const members = keyspace.read(key, 'zset')?.members;
  if (members === undefined) return [];
  const count = Math.min(limit ?? 1, members.size);
  const popped =
    end === 'lowest'
      ? members.remove(0, count)
      : members.remove(members.size - count, members.size).toReversed();
  if (popped.length > 0) keyspace.changed(key);
  const pairs = popped.map(({ member, score }) => [member, double(score)] as const);
  return limit === undefined ? pairs.flat() : { kind: 'pairs', pairs };
}

/** Scores are bulk strings here, in RESP3, too. */
function scan({ args, keyspace }: Call): Reply {
  const members = sortedSetOf(keyspace, argument(args, 0)).slice(0);
  const items = members.map(({ member, score }) => [member, [member, formatDouble(score)]] as const);
  return scanCollection(args, items);
}
