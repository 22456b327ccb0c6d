import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { FIRST_ID, LAST_ID, parseStreamId, type StreamId } from '../keyspace/stream-id.ts';
import { Stream } from '../keyspace/stream.ts';
import { NULL_ARRAY, type Reply } from '../protocol/reply.ts';
import { argument, ArgumentReader, numberArgument } from './arguments.ts';
import { onKeys, type Call, type Command } from './command.ts';
import { addEntry } from './stream-add.ts';
import { readStreams } from './stream-read.ts';
import { applyTrim, readTrim } from './stream-trim.ts';
import { entryReply } from './stream-reply.ts';

/** Values that are logs of entries. */
export const streamCommands: readonly Command[] = [
  onKeys('xadd', -5, addEntry),
  onKeys('xtrim', -4, trim),
  onKeys('xdel', -3, deleteEntries),
  onKeys('xrange', -4, (call) => range(call, 'ascending')),
  onKeys('xrevrange', -4, (call) => range(call, 'descending')),
  onKeys('xread', -4, readStreams),
];

const EMPTY = new Stream();

/** @throws RedisError WRONGTYPE when the key holds something else */
function streamOf(keyspace: Keyspace, key: Bytes): Stream {
  return keyspace.read(key, 'stream')?.stream ?? EMPTY;
}

function trim({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const reader = new ArgumentReader(args, 1);
  const wanted = readTrim(reader);
  if (wanted === undefined || !reader.done) throw new RedisError(messages.syntax);
  const stream = keyspace.read(key, 'stream')?.stream;
  const dropped = stream === undefined ? 0 : applyTrim(stream, wanted);
  if (dropped > 0) keyspace.changed(key);
  return dropped;
}

function deleteEntries({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const ids = args.slice(1).map((text) => idArgument(text, 'lowest'));
  const stream = keyspace.read(key, 'stream')?.stream;
  const deleted = ids.filter((id) => stream?.delete(id)).length;
  if (deleted > 0) keyspace.changed(key);
  return deleted;
}

function range({ args, keyspace }: Call, order: 'ascending' | 'descending'): Reply {
  const ascending = order === 'ascending';
  const from = boundArgument(argument(args, ascending ? 1 : 2), 'lowest');
  const to = boundArgument(argument(args, ascending ? 2 : 1), 'highest');
  const count = countOption(new ArgumentReader(args, 3));
  const stream = streamOf(keyspace, argument(args, 0));
  if (count <= 0) return NULL_ARRAY;
  const found = ascending ? stream.range(from, to, count) : stream.reversedRange(from, to, count);
  return found.map(entryReply);
}

/** `(` leaves the id itself out. */
function boundArgument(text: Bytes, end: 'lowest' | 'highest'): StreamId {
  if (text === '-') return FIRST_ID;
  if (text === '+') return LAST_ID;
  if (!text.startsWith('(')) return idArgument(text, end);
  const id = idArgument(text.slice(1), end);
  if (id === LAST_ID && end === 'lowest') throw new RedisError('ERR invalid start ID for the interval');
  if (id === FIRST_ID && end === 'highest') throw new RedisError('ERR invalid end ID for the interval');
  return end === 'lowest' ? id + 1n : id - 1n;
}

function idArgument(text: Bytes, missing: 'lowest' | 'highest'): StreamId {
  const id = parseStreamId(text, missing);
  if (id === undefined) throw new RedisError(messages.invalidStreamId);
  return id;
}

function countOption(reader: ArgumentReader): number {
  let count = Infinity;
  while (!reader.done) {
    if (!reader.skip('COUNT')) throw new RedisError(messages.syntax);
    count = numberArgument(reader.next());
  }
  return count;
}
