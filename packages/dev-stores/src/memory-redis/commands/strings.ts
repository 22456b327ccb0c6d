import type { Bytes } from '../bytes.ts';
import { messages, RedisError, wrongArity } from '../errors.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { OK, type Reply } from '../protocol/reply.ts';
import { argument, indexRange, numberArgument } from './arguments.ts';
import { ALL_KEYS, KEYS_AND_VALUES, reads, writes, type Call, type Command } from './command.ts';
import { positiveExpiryTime, type TimeUnit } from './expiry-time.ts';
import { getAndExpire, set } from './set-string.ts';

/** Values that are one string of bytes. */
export const stringCommands: readonly Command[] = [
  writes('set', -3, set),
  writes('setnx', 3, setIfFree),
  writes('setex', 4, (call) => setWithExpiry(call, 'setex', { relative: true, milliseconds: 1_000 })),
  writes('psetex', 4, (call) => setWithExpiry(call, 'psetex', { relative: true, milliseconds: 1 })),
  reads('get', 2, ({ args, keyspace }) => readString(keyspace, argument(args, 0)) ?? null),
  writes('getset', 3, getAndSet),
  writes('getdel', 2, getAndDelete),
  writes('getex', -2, getAndExpire),
  reads('mget', -2, getSeveral, ALL_KEYS),
  writes('mset', -3, (call) => (setSeveral(call, 'mset'), OK), KEYS_AND_VALUES),
  writes('msetnx', -3, setSeveralIfFree, KEYS_AND_VALUES),
  writes('append', 3, append),
  reads('strlen', 2, ({ args, keyspace }) => readString(keyspace, argument(args, 0))?.length ?? 0),
  reads('getrange', 4, getRange),
  writes('setrange', 4, setRange),
];

/** @throws RedisError WRONGTYPE when the key holds something else */
export function readString(keyspace: Keyspace, key: Bytes): Bytes | undefined {
  return keyspace.read(key, 'string')?.bytes;
}

/** Changes the bytes and keeps the expiry. */
export function replaceString(keyspace: Keyspace, key: Bytes, bytes: Bytes): void {
  keyspace.put(key, { kind: 'string', bytes }, keyspace.find(key)?.expiresAt);
}

function setIfFree({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  if (keyspace.find(key) !== undefined) return 0;
  keyspace.put(key, { kind: 'string', bytes: argument(args, 1) });
  return 1;
}

function setWithExpiry({ args, keyspace }: Call, command: string, unit: TimeUnit): Reply {
  const expiresAt = positiveExpiryTime(argument(args, 1), unit, keyspace.now, command);
  keyspace.put(argument(args, 0), { kind: 'string', bytes: argument(args, 2) }, expiresAt);
  return OK;
}

function getAndSet({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const old = readString(keyspace, key);
  keyspace.put(key, { kind: 'string', bytes: argument(args, 1) });
  return old ?? null;
}

function getAndDelete({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const old = readString(keyspace, key);
  keyspace.delete(key);
  return old ?? null;
}

function getSeveral({ args, keyspace }: Call): Reply {
  return args.map((key) => {
    const value = keyspace.find(key)?.value;
    return value?.kind === 'string' ? value.bytes : null;
  });
}

function setSeveral({ args, keyspace }: Call, command: string): void {
  if (args.length % 2 === 1) throw wrongArity(command);
  for (let index = 0; index < args.length; index += 2)
    keyspace.put(argument(args, index), { kind: 'string', bytes: argument(args, index + 1) });
}

function setSeveralIfFree(call: Call): Reply {
  if (call.args.length % 2 === 1) throw wrongArity('msetnx');
  const taken = call.args.some((key, index) => index % 2 === 0 && call.keyspace.find(key) !== undefined);
  if (taken) return 0;
  setSeveral(call, 'msetnx');
  return 1;
}

function append({ args, keyspace, instance }: Call): Reply {
  const key = argument(args, 0);
  const bytes = (readString(keyspace, key) ?? '') + argument(args, 1);
  if (bytes.length > instance.limits.maxBulkBytes) throw new RedisError(messages.tooLongString);
  replaceString(keyspace, key, bytes);
  return bytes.length;
}

function getRange({ args, keyspace }: Call): Reply {
  const start = numberArgument(argument(args, 1));
  const stop = numberArgument(argument(args, 2));
  const bytes = readString(keyspace, argument(args, 0)) ?? '';
  const { from, to } = indexRange(start, stop, bytes.length);
  return bytes.slice(from, to);
}

/** What lies between the end and the offset becomes zeros. */
function setRange({ args, keyspace, instance }: Call): Reply {
  const key = argument(args, 0);
  const offset = numberArgument(argument(args, 1));
  const patch = argument(args, 2);
  if (offset < 0) throw new RedisError('ERR offset is out of range');
  const old = readString(keyspace, key) ?? '';
  if (patch === '') return old.length;
  if (offset + patch.length > instance.limits.maxBulkBytes) throw new RedisError(messages.tooLongString);
  const bytes = old.slice(0, offset).padEnd(offset, '\0') + patch + old.slice(offset + patch.length);
  replaceString(keyspace, key, bytes);
  return bytes.length;
}
