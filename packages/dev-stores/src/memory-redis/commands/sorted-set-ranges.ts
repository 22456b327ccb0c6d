import { messages, RedisError } from '../errors.ts';
import type { ScoredMember, SortedSet } from '../keyspace/sorted-set.ts';
import { double, type Reply } from '../protocol/reply.ts';
import { argument, ArgumentReader, numberArgument, type IndexRange } from './arguments.ts';
import { onKeys, type Call, type Command } from './command.ts';
import { findRange, type RangeKind } from './sorted-set-bounds.ts';
import { sortedSetOf } from './sorted-sets.ts';

/** How a range is asked for. */
interface RangeOptions {
  readonly kind: RangeKind;
  readonly reversed: boolean;
  readonly withScores: boolean;
  readonly limit: { readonly offset: number; readonly count: number } | undefined;
}

/** Parts of sorted sets, by rank or score. */
export const sortedSetRangeCommands: readonly Command[] = [
  onKeys('zrange', -4, (call) => range(call, zrangeOptions(new ArgumentReader(call.args, 3)))),
  onKeys('zrevrange', -4, (call) => range(call, olderOptions(call, 'rank', true))),
  onKeys('zrangebyscore', -4, (call) => range(call, olderOptions(call, 'score', false))),
  onKeys('zrevrangebyscore', -4, (call) => range(call, olderOptions(call, 'score', true))),
  onKeys('zremrangebyscore', 4, (call) => removeRange(call, 'score')),
];

function range(call: Call, options: RangeOptions): Reply {
  const members = sortedSetOf(call.keyspace, argument(call.args, 0));
  const found = limited(
    ordered(members, rangeOf(call, members, options.kind, options.reversed), options),
    options,
  );
  if (!options.withScores) return found.map(({ member }) => member);
  return { kind: 'pairs', pairs: found.map(({ member, score }) => [member, double(score)] as const) };
}

/** In reverse order, scores and bytes are given with the upper end first. */
function rangeOf({ args }: Call, members: SortedSet, kind: RangeKind, reversed: boolean): IndexRange {
  const [first, second] = [argument(args, 1), argument(args, 2)];
  return reversed && kind !== 'rank'
    ? findRange(members, kind, second, first, true)
    : findRange(members, kind, first, second, reversed);
}

function ordered(members: SortedSet, { from, to }: IndexRange, { reversed }: RangeOptions): ScoredMember[] {
  const found = members.slice(from, to);
  return reversed ? found.toReversed() : found;
}

function limited(found: ScoredMember[], { limit }: RangeOptions): ScoredMember[] {
  if (limit === undefined) return found;
  if (limit.offset < 0) return [];
  return found.slice(limit.offset, limit.count < 0 ? undefined : limit.offset + limit.count);
}

function zrangeOptions(reader: ArgumentReader): RangeOptions {
  let kind: RangeKind = 'rank';
  let reversed = false;
  let withScores = false;
  let limit: RangeOptions['limit'];
  while (!reader.done) {
    const option = reader.option();
    if (option === 'BYSCORE') kind = 'score';
    else if (option === 'REV') reversed = true;
    else if (option === 'WITHSCORES') withScores = true;
    else if (option === 'LIMIT') limit = readLimit(reader);
    else throw new RedisError(messages.syntax);
  }
  if (limit !== undefined && kind === 'rank')
    throw new RedisError(
      'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
    );
  return { kind, reversed, withScores, limit };
}

/** The commands that ZRANGE replaces carry kind and direction in their names. */
function olderOptions({ args }: Call, kind: RangeKind, reversed: boolean): RangeOptions {
  const reader = new ArgumentReader(args, 3);
  let withScores = false;
  let limit: RangeOptions['limit'];
  while (!reader.done) {
    const option = reader.option();
    if (option === 'WITHSCORES') withScores = true;
    else if (option === 'LIMIT' && kind !== 'rank') limit = readLimit(reader);
    else throw new RedisError(messages.syntax);
  }
  return { kind, reversed, withScores, limit };
}

function readLimit(reader: ArgumentReader): RangeOptions['limit'] {
  const [offset, limit] = [reader.next(), reader.next()];
  return { offset: numberArgument(offset), count: numberArgument(limit) };
}

function removeRange(call: Call, kind: RangeKind): Reply {
  const key = argument(call.args, 0);
  const members = sortedSetOf(call.keyspace, key);
  const { from, to } = rangeOf(call, members, kind, false);
  const removed = members.remove(from, to).length;
  if (removed > 0) call.keyspace.changed(key);
  return removed;
}
