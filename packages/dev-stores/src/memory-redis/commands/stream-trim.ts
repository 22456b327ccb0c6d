import { messages, RedisError } from '../errors.ts';
import { parseStreamId, type StreamId } from '../keyspace/stream-id.ts';
import type { Stream } from '../keyspace/stream.ts';
import { numberArgument } from './arguments.ts';
import type { ArgumentReader } from './arguments.ts';

/** What XTRIM and XADD leave of a stream. */
export interface Trim {
  /** At most so many entries, or those from an id on. */
  readonly keep:
    { readonly kind: 'count'; readonly count: number } | { readonly kind: 'from'; readonly id: StreamId };
  /** `~`: some more may stay, when that is easier. */
  readonly approximate: boolean;
  /** At most so many go. 0: no limit. */
  readonly limit: number;
}

const NEVER_NEGATIVE = 'ERR The MAXLEN argument must be >= 0.';

/**
 * Reads `MAXLEN [~|=] count [LIMIT n]` or `MINID [~|=] id [LIMIT n]`.
 *
 * @returns undefined when neither comes next
 */
export function readTrim(reader: ArgumentReader): Trim | undefined {
  const byCount = reader.skip('MAXLEN');
  if (!byCount && !reader.skip('MINID')) return undefined;
  const approximate = reader.skip('~');
  if (!approximate) reader.skip('=');
  const keep = byCount ? readCount(reader) : readId(reader);
  const limit = reader.skip('LIMIT') ? readLimit(reader, approximate) : 0;
  const again = byCount ? reader.skip('MINID') : reader.skip('MAXLEN');
  if (again)
    throw new RedisError('ERR syntax error, MAXLEN and MINID options at the same time are not compatible');
  return { keep, approximate, limit };
}

/** @returns how many entries went */
export function applyTrim(stream: Stream, { keep, approximate, limit }: Trim): number {
  const surplus = keep.kind === 'count' ? stream.length - keep.count : stream.countBelow(keep.id);
  return stream.dropOldest(limit > 0 ? Math.min(limit, surplus) : surplus, approximate);
}

function readCount(reader: ArgumentReader): Trim['keep'] {
  const count = numberArgument(reader.next());
  if (count < 0) throw new RedisError(NEVER_NEGATIVE);
  return { kind: 'count', count };
}

function readId(reader: ArgumentReader): Trim['keep'] {
  const id = parseStreamId(reader.next(), 'lowest');
  if (id === undefined) throw new RedisError(messages.invalidStreamId);
  return { kind: 'from', id };
}

function readLimit(reader: ArgumentReader, approximate: boolean): number {
  const limit = numberArgument(reader.next());
  if (limit < 0) throw new RedisError('ERR The LIMIT argument must be >= 0.');
  if (!approximate)
    throw new RedisError('ERR syntax error, LIMIT cannot be used without the special ~ option');
  return limit;
}
