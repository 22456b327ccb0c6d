import type { Bytes } from '../bytes.ts';
import { RedisError } from '../errors.ts';
import type { ScoredMember, SortedSet } from '../keyspace/sorted-set.ts';
import { parseDouble } from '../values/double.ts';
import { numberArgument, indexRange, type IndexRange } from './arguments.ts';

/** By what a range is given: places or scores. */
export type RangeKind = 'rank' | 'score';

/** Says on which side of a bound a member lies. */
interface Bound {
  /** As the lower end: the member is not below it. */
  readonly reached: (member: ScoredMember) => boolean;
  /** As the upper end: the member is above it. */
  readonly passed: (member: ScoredMember) => boolean;
}

/**
 * The places that a range covers, lowest first.
 *
 * @param min for ranks in reverse order: the first place counted from the top
 * @throws RedisError when a bound is malformed
 */
export function findRange(
  members: SortedSet,
  kind: RangeKind,
  min: Bytes,
  max: Bytes,
  reversed: boolean,
): IndexRange {
  if (kind === 'rank') return rankRange(members.size, numberArgument(min), numberArgument(max), reversed);
  const [low, high] = [scoreBound(min), scoreBound(max)];
  const from = members.firstIndex(low.reached);
  return { from, to: Math.max(from, members.firstIndex(high.passed)) };
}

function rankRange(size: number, start: number, stop: number, reversed: boolean): IndexRange {
  const { from, to } = indexRange(start, stop, size);
  return reversed ? { from: size - to, to: size - from } : { from, to };
}

function scoreBound(text: Bytes): Bound {
  const exclusive = text.startsWith('(');
  const limit = parseDouble(exclusive ? text.slice(1) || '0' : text);
  if (limit === undefined) throw new RedisError('ERR min or max is not a float');
  return exclusive
    ? { reached: ({ score }) => score > limit, passed: ({ score }) => score >= limit }
    : { reached: ({ score }) => score >= limit, passed: ({ score }) => score > limit };
}
