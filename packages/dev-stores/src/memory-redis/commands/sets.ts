import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Reply } from '../protocol/reply.ts';
import { argument, numberArgument, positiveArgument } from './arguments.ts';
import { reads, TWO_KEYS, writes, type Call, type Command } from './command.ts';
import { scanCollection } from './scan-options.ts';

/** Values that are members without an order. */
export const setCommands: readonly Command[] = [
  writes('sadd', -3, add),
  writes('srem', -3, remove),
  reads('scard', 2, (call) => membersOf(call.keyspace, argument(call.args, 0)).size),
  reads('sismember', 3, (call) =>
    Number(membersOf(call.keyspace, argument(call.args, 0)).has(argument(call.args, 1))),
  ),
  reads('smismember', -3, haveMembers),
  reads('smembers', 2, ({ args, keyspace }) => asSet(membersOf(keyspace, argument(args, 0)))),
  writes('spop', -2, pop),
  reads('srandmember', -2, pick),
  writes('smove', 4, move, TWO_KEYS),
  reads('sscan', -3, scan),
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

function haveMembers({ args, keyspace }: Call): Reply {
  const members = membersOf(keyspace, argument(args, 0));
  return args.slice(1).map((member) => Number(members.has(member)));
}

function pop({ args, keyspace }: Call): Reply {
  if (args.length > 2) throw new RedisError(messages.syntax);
  const [key, limit] = [argument(args, 0), args[1]];
  const count = limit === undefined ? 1 : positiveArgument(limit);
  const members = keyspace.read(key, 'set')?.members ?? new Set<Bytes>();
  const popped = sample([...members], count);
  for (const member of popped) members.delete(member);
  if (popped.length > 0) keyspace.changed(key);
  return limit === undefined ? (popped[0] ?? null) : asSet(popped);
}

/** A negative count picks that many, some of them several times. */
function pick({ args, keyspace }: Call): Reply {
  if (args.length > 2) throw new RedisError(messages.syntax);
  const members = [...membersOf(keyspace, argument(args, 0))];
  if (args[1] === undefined) return sample(members, 1)[0] ?? null;
  const count = numberArgument(args[1]);
  if (count >= 0) return sample(members, count);
  return members.length === 0 ? [] : Array.from({ length: -count }, () => sample(members, 1)[0] ?? null);
}

/** Some of the members, each at most once: the first steps of a shuffle. */
function sample(members: readonly Bytes[], count: number): Bytes[] {
  const pool = [...members];
  const taken: Bytes[] = [];
  while (taken.length < count && pool.length > 0) {
    const index = Math.floor(Math.random() * pool.length);
    const last = pool.pop();
    const chosen = pool[index] ?? last;
    if (index < pool.length && last !== undefined) pool[index] = last;
    if (chosen !== undefined) taken.push(chosen);
  }
  return taken;
}

function move({ args, keyspace }: Call): Reply {
  const [from, to, member] = [argument(args, 0), argument(args, 1), argument(args, 2)];
  const source = keyspace.read(from, 'set')?.members;
  const target = keyspace.read(to, 'set')?.members;
  if (source?.has(member) !== true) return 0;
  if (source === target) return 1;
  source.delete(member);
  keyspace.changed(from);
  keyspace.obtain(to, 'set').members.add(member);
  keyspace.changed(to);
  return 1;
}

function scan({ args, keyspace }: Call): Reply {
  const items = [...membersOf(keyspace, argument(args, 0))].map((member) => [member, [member]] as const);
  return scanCollection(args, items);
}
