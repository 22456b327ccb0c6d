import type { Bytes } from '../bytes.ts';
import { messages, RedisError, wrongArity } from '../errors.ts';
import {
  formatStreamId,
  LAST_ID,
  millisecondsOf,
  parseHalf,
  parseStreamId,
  sequenceOf,
  streamId,
  type StreamId,
} from '../keyspace/stream-id.ts';
import { argument, ArgumentReader } from './arguments.ts';
import type { Reply } from '../protocol/reply.ts';
import type { Call } from './command.ts';
import { applyTrim, readTrim, type Trim } from './stream-trim.ts';

const TOO_SMALL = 'ERR The ID specified in XADD is equal or smaller than the target stream top item';
const EXHAUSTED = 'ERR The stream has exhausted the last possible ID, unable to add more items';

/** What XADD was asked for. */
interface Addition {
  readonly create: boolean;
  readonly trim: Trim | undefined;
  readonly id: Bytes;
  readonly fields: readonly Bytes[];
}

/** XADD with NOMKSTREAM, MAXLEN or MINID, and an id: whole, `ms-*`, or `*`. */
export function addEntry({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const { create, trim, id, fields } = readAddition(new ArgumentReader(args, 1));
  const choose = idChoice(id);
  const present = keyspace.read(key, 'stream')?.stream;
  if (present === undefined && !create) return null;
  const chosen = choose(present?.history.lastId ?? 0n, BigInt(Math.floor(keyspace.now)));
  const { stream } = keyspace.obtain(key, 'stream');
  stream.append({ id: chosen, fields });
  if (trim !== undefined) applyTrim(stream, trim);
  keyspace.changed(key);
  return formatStreamId(chosen);
}

function readAddition(reader: ArgumentReader): Addition {
  let create = true;
  let trim: Trim | undefined;
  for (;;) {
    const next = readTrim(reader);
    if (next !== undefined) trim = next;
    else if (reader.skip('NOMKSTREAM')) create = false;
    else break;
  }
  const id = reader.next();
  const fields = reader.rest();
  if (fields.length === 0 || fields.length % 2 === 1) throw wrongArity('xadd');
  return { create, trim, id, fields };
}

/** @throws RedisError when the text is no id; the choice throws when the id is not above the last one */
function idChoice(text: Bytes): (lastId: StreamId, now: bigint) => StreamId {
  if (text === '*') return nextId;
  if (text.endsWith('-*')) return nextSequence(text);
  const id = parseStreamId(text, 'lowest');
  if (id === undefined) throw new RedisError(messages.invalidStreamId);
  if (id === 0n) throw new RedisError('ERR The ID specified in XADD must be greater than 0-0');
  return (lastId) => {
    if (lastId === LAST_ID) throw new RedisError(EXHAUSTED);
    return above(id, lastId);
  };
}

/** The present moment, or one after the last id when the clock has gone back. */
function nextId(lastId: StreamId, now: bigint): StreamId {
  if (lastId === LAST_ID) throw new RedisError(EXHAUSTED);
  const current = streamId(now, 0n);
  return current > lastId ? current : lastId + 1n;
}

function nextSequence(text: Bytes): (lastId: StreamId) => StreamId {
  const milliseconds = parseHalf(text.slice(0, -2));
  if (milliseconds === undefined) throw new RedisError(messages.invalidStreamId);
  return (lastId) => {
    if (millisecondsOf(lastId) !== milliseconds) return above(streamId(milliseconds, 0n), lastId);
    const next = lastId + 1n;
    if (sequenceOf(next) === 0n) throw new RedisError(TOO_SMALL);
    return next;
  };
}

function above(id: StreamId, lastId: StreamId): StreamId {
  if (id <= lastId) throw new RedisError(TOO_SMALL);
  return id;
}
