import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { FIRST_ID, LAST_ID, parseStreamId, type StreamId } from '../keyspace/stream-id.ts';
import { NULL_ARRAY, type Reply } from '../protocol/reply.ts';
import { ArgumentReader, numberArgument } from './arguments.ts';
import type { Call, Outcome } from './command.ts';
import { entryReply } from './stream-reply.ts';

/** What XREAD was asked for. */
interface Reading {
  readonly count: number;
  /** Undefined: don't wait. */
  readonly blockMs: number | undefined;
  readonly streams: readonly { readonly key: Bytes; readonly after: StreamId }[];
}

/** XREAD with COUNT and BLOCK: entries after an id, of several streams. */
export function readStreams(call: Call): Outcome {
  const { keyspace, scripted } = call;
  const reading = readReading(call);
  if (scripted && reading.blockMs !== undefined)
    throw new RedisError('ERR xread command is not allowed with BLOCK option from scripts');
  const found = collect(keyspace, reading);
  if (found !== undefined) return found;
  if (reading.blockMs === undefined) return NULL_ARRAY;
  return {
    kind: 'wait',
    keys: reading.streams.map(({ key }) => key),
    timeoutMs: reading.blockMs,
    attempt: () => (allStreams(keyspace, reading) ? collect(keyspace, reading) : undefined),
    otherwise: NULL_ARRAY,
  };
}

function readReading({ args, keyspace }: Call): Reading {
  const reader = new ArgumentReader(args, 0);
  let count = Infinity;
  let blockMs: number | undefined;
  while (!reader.skip('STREAMS')) {
    const option = reader.option();
    if (option === 'COUNT') count = numberArgument(reader.next()) || Infinity;
    else if (option === 'BLOCK') blockMs = timeout(reader.next());
    else throw new RedisError(messages.syntax);
  }
  const rest = reader.rest();
  if (rest.length === 0) throw new RedisError(messages.syntax);
  if (rest.length % 2 === 1)
    throw new RedisError(
      "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
    );
  const keys = rest.slice(0, rest.length / 2);
  const streams = keys.map((key, index) => ({
    key,
    after: startOf(keyspace, key, rest[keys.length + index] ?? ''),
  }));
  return { count: count < 0 ? Infinity : count, blockMs, streams };
}

function timeout(text: Bytes): number {
  const timeoutMs = numberArgument(text, 'ERR timeout is not an integer or out of range');
  if (timeoutMs < 0) throw new RedisError(messages.negativeTimeout);
  return timeoutMs;
}

/** `$` is what the stream ends with now. */
function startOf(keyspace: Keyspace, key: Bytes, text: Bytes): StreamId {
  const stream = keyspace.read(key, 'stream')?.stream;
  if (text === '$') return stream?.history.lastId ?? FIRST_ID;
  if (text === '>')
    throw new RedisError(
      'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
    );
  const id = parseStreamId(text, 'lowest');
  if (id === undefined) throw new RedisError(messages.invalidStreamId);
  return id;
}

function collect(keyspace: Keyspace, { streams, count }: Reading): Reply | undefined {
  const entries = streams.flatMap(({ key, after }): [Bytes, Reply][] => {
    const found = keyspace.read(key, 'stream')?.stream.range(after + 1n, LAST_ID, count) ?? [];
    return found.length === 0 ? [] : [[key, found.map(entryReply)]];
  });
  return entries.length === 0 ? undefined : { kind: 'map', entries, resp2: 'pairs' };
}

/** A reader goes on waiting when one of the keys holds something else by now. */
function allStreams(keyspace: Keyspace, { streams }: Reading): boolean {
  return streams.every(({ key }) => (keyspace.find(key)?.value.kind ?? 'stream') === 'stream');
}
