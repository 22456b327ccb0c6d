import type { Bytes } from '../bytes.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Reply } from '../protocol/reply.ts';
import { argument } from './arguments.ts';
import { onKeys, type Call, type Command } from './command.ts';
import { getAndExpire, set } from './set-string.ts';

/** Values that are one string of bytes. */
export const stringCommands: readonly Command[] = [
  onKeys('set', -3, set),
  onKeys('get', 2, ({ args, keyspace }) => readString(keyspace, argument(args, 0)) ?? null),
  onKeys('mget', -2, getMany),
  onKeys('getdel', 2, getAndDelete),
  onKeys('getex', -2, getAndExpire),
  onKeys('strlen', 2, ({ args, keyspace }) => readString(keyspace, argument(args, 0))?.length ?? 0),
];

/** @throws RedisError WRONGTYPE when the key holds something else */
export function readString(keyspace: Keyspace, key: Bytes): Bytes | undefined {
  return keyspace.read(key, 'string')?.bytes;
}

/** Changes the bytes and keeps the expiry. */
export function replaceString(keyspace: Keyspace, key: Bytes, bytes: Bytes): void {
  keyspace.put(key, { kind: 'string', bytes }, keyspace.find(key)?.expiresAt);
}

/** What is no string counts as missing. */
function getMany({ args, keyspace }: Call): Reply {
  return args.map((key) => {
    const value = keyspace.find(key)?.value;
    return value?.kind === 'string' ? value.bytes : null;
  });
}

function getAndDelete({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const old = readString(keyspace, key);
  keyspace.delete(key);
  return old ?? null;
}
