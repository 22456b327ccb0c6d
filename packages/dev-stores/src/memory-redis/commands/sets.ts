import type { Bytes } from '../bytes.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Reply } from '../protocol/reply.ts';
import { argument } from './arguments.ts';
import { onKeys, type Call, type Command } from './command.ts';

/** Values that are members without an order. */
export const setCommands: readonly Command[] = [
  onKeys('sadd', -3, add),
  onKeys('srem', -3, remove),
  onKeys('smembers', 2, ({ args, keyspace }) => asSet(membersOf(keyspace, argument(args, 0)))),
];

const NO_MEMBERS: ReadonlySet<Bytes> = new Set();

/** @throws RedisError WRONGTYPE when the key holds something else */
export function membersOf(keyspace: Keyspace, key: Bytes): ReadonlySet<Bytes> {
  return keyspace.read(key, 'set')?.members ?? NO_MEMBERS;
}

/** The reply of a command that answers with a set. */
export function asSet(members: Iterable<Bytes>): Reply {
  return { kind: 'set', members: [...members] };
}

function add({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const { members } = keyspace.obtain(key, 'set');
  const before = members.size;
  for (const member of args.slice(1)) members.add(member);
  if (members.size > before) keyspace.changed(key);
  return members.size - before;
}

function remove({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const members = keyspace.read(key, 'set')?.members;
  const removed = args.slice(1).filter((member) => members?.delete(member)).length;
  if (removed > 0) keyspace.changed(key);
  return removed;
}
