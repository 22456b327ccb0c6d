import type { Bytes } from '../bytes.ts';
import { messages, RedisError, wrongArity } from '../errors.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { FIRST_ID, formatStreamId, LAST_ID, parseStreamId, type StreamId } from '../keyspace/stream-id.ts';
import { Stream, type StreamEntry } from '../keyspace/stream.ts';
import { map, NULL_ARRAY, type Reply } from '../protocol/reply.ts';
import { argument, ArgumentReader, numberArgument } from './arguments.ts';
import { NO_KEYS, reads, writes, type Call, type Command } from './command.ts';
import { addEntry } from './stream-add.ts';
import { readStreams } from './stream-read.ts';
import { applyTrim, readTrim } from './stream-trim.ts';
import { entryReply } from './stream-reply.ts';
import { subcommands, type Subcommand } from './subcommands.ts';

const infoTable: ReadonlyMap<string, Subcommand> = new Map([
  ['stream', { arity: 3, run: tell }],
  ['groups', { arity: 3, run: () => refuseGroups('xinfo groups') }],
  ['consumers', { arity: 4, run: () => refuseGroups('xinfo consumers') }],
]);

/** Values that are logs of entries. Groups of consumers are not offered. */
export const streamCommands: readonly Command[] = [
  writes('xadd', -5, addEntry),
  writes('xtrim', -4, trim),
  writes('xdel', -3, deleteEntries),
  reads('xlen', 2, (call) => streamOf(call.keyspace, argument(call.args, 0)).length),
  reads('xrange', -4, (call) => range(call, 'ascending')),
  reads('xrevrange', -4, (call) => range(call, 'descending')),
  { ...reads('xread', -4, readStreams, NO_KEYS), flags: ['readonly', 'blocking'] },
  reads('xinfo', -2, subcommands('xinfo', infoTable), NO_KEYS),
  ...['xgroup', 'xreadgroup', 'xack', 'xclaim', 'xautoclaim', 'xpending'].map((name) =>
    writes(name, -2, () => refuseGroups(name), NO_KEYS),
  ),
];

const EMPTY = new Stream();

/** @throws RedisError WRONGTYPE when the key holds something else */
function streamOf(keyspace: Keyspace, key: Bytes): Stream {
  return keyspace.read(key, 'stream')?.stream ?? EMPTY;
}

function refuseGroups(command: string): never {
  throw new RedisError(`ERR ${command} is not supported: the in-memory server has no consumer groups`);
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

/** XINFO STREAM; the sizes of the tree are those that Redis would have for entries of middling size. */
function tell({ args, keyspace }: Call): Reply {
  if (args.length > 2) throw wrongArity('xinfo|stream');
  const stream = keyspace.read(argument(args, 1), 'stream')?.stream;
  if (stream === undefined) throw new RedisError(messages.noSuchKey);
  const { lastId, entriesAdded, maxDeletedId } = stream.history;
  const nodes = Math.ceil(stream.length / 100);
  return map([
    ['length', stream.length],
    ['radix-tree-keys', nodes],
    ['radix-tree-nodes', nodes + 1],
    ['last-generated-id', formatStreamId(lastId)],
    ['max-deleted-entry-id', formatStreamId(maxDeletedId)],
    ['entries-added', entriesAdded],
    ['recorded-first-entry-id', formatStreamId(stream.first?.id ?? FIRST_ID)],
    ['groups', 0],
    ['first-entry', entryOrNull(stream.first)],
    ['last-entry', entryOrNull(stream.last)],
  ]);
}

function entryOrNull(entry: StreamEntry | undefined): Reply {
  return entry === undefined ? null : entryReply(entry);
}
