import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Reply } from '../protocol/reply.ts';
import { argument, ArgumentReader, numberArgument, positiveArgument } from './arguments.ts';
import { ALL_KEYS, NO_KEYS, reads, writes, type Call, type Command } from './command.ts';
import { asSet, membersOf } from './sets.ts';

type Combine = (sets: readonly ReadonlySet<Bytes>[]) => Bytes[];

/** What sets have in common, together, or one has over others. */
export const setAlgebraCommands: readonly Command[] = [
  reads('sinter', -2, (call) => combine(call, intersect), ALL_KEYS),
  reads('sunion', -2, (call) => combine(call, unite), ALL_KEYS),
  reads('sdiff', -2, (call) => combine(call, subtract), ALL_KEYS),
  writes('sinterstore', -3, (call) => store(call, intersect), ALL_KEYS),
  writes('sunionstore', -3, (call) => store(call, unite), ALL_KEYS),
  writes('sdiffstore', -3, (call) => store(call, subtract), ALL_KEYS),
  reads('sintercard', -3, countIntersection, NO_KEYS),
];

function combine({ args, keyspace }: Call, operation: Combine): Reply {
  return asSet(operation(setsOf(keyspace, args)));
}

function store({ args, keyspace }: Call, operation: Combine): Reply {
  const target = argument(args, 0);
  const members = new Set(operation(setsOf(keyspace, args.slice(1))));
  if (members.size === 0) keyspace.delete(target);
  else keyspace.put(target, { kind: 'set', members });
  return members.size;
}

function setsOf(keyspace: Keyspace, keys: readonly Bytes[]): ReadonlySet<Bytes>[] {
  return keys.map((key) => membersOf(keyspace, key));
}

function intersect([first, ...others]: readonly ReadonlySet<Bytes>[]): Bytes[] {
  return [...(first ?? [])].filter((member) => others.every((other) => other.has(member)));
}

function unite(sets: readonly ReadonlySet<Bytes>[]): Bytes[] {
  return [...new Set(sets.flatMap((members) => [...members]))];
}

function subtract([first, ...others]: readonly ReadonlySet<Bytes>[]): Bytes[] {
  return [...(first ?? [])].filter((member) => !others.some((other) => other.has(member)));
}

function countIntersection({ args, keyspace }: Call): Reply {
  const count = numberArgument(argument(args, 0), 'ERR numkeys should be greater than 0');
  if (count < 1) throw new RedisError('ERR numkeys should be greater than 0');
  if (count > args.length - 1)
    throw new RedisError("ERR Number of keys can't be greater than number of args");
  const reader = new ArgumentReader(args, 1 + count);
  let limit = 0;
  while (!reader.done) {
    if (!reader.skip('LIMIT')) throw new RedisError(messages.syntax);
    limit = positiveArgument(reader.next(), "ERR LIMIT can't be negative");
  }
  const { length } = intersect(setsOf(keyspace, args.slice(1, 1 + count)));
  return limit === 0 ? length : Math.min(limit, length);
}
