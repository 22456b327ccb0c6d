import type { Bytes } from '../bytes.ts';
import { messages, RedisError, wrongArity } from '../errors.ts';
import { NULL_ARRAY, OK, type Reply } from '../protocol/reply.ts';
import { argument, indexRange, numberArgument, positiveArgument } from './arguments.ts';
import { reads, writes, type Call, type Command } from './command.ts';

type Side = 'left' | 'right';

const PORTION = 1_000;

/** Values that are elements in an order of their own. */
export const listCommands: readonly Command[] = [
  writes('lpush', -3, (call) => push(call, 'left')),
  writes('rpush', -3, (call) => push(call, 'right')),
  writes('lpushx', -3, (call) => pushIfPresent(call, 'left')),
  writes('rpushx', -3, (call) => pushIfPresent(call, 'right')),
  writes('lpop', -2, (call) => pop(call, 'left')),
  writes('rpop', -2, (call) => pop(call, 'right')),
  reads('llen', 2, (call) => itemsOf(call).length),
  reads('lrange', 4, range),
  reads('lindex', 3, (call) => itemsOf(call).at(numberArgument(argument(call.args, 1))) ?? null),
  writes('lset', 4, setItem),
  writes('lrem', 4, removeItems),
  writes('ltrim', 4, trim),
];

function itemsOf({ args, keyspace }: Call): readonly Bytes[] {
  return keyspace.read(argument(args, 0), 'list')?.items ?? [];
}

function push({ args, keyspace }: Call, side: Side): Reply {
  const key = argument(args, 0);
  const { items } = keyspace.obtain(key, 'list');
  const added = args.slice(1);
  if (side === 'left') prepend(items, added);
  else for (const item of added) items.push(item);
  keyspace.changed(key);
  return items.length;
}

/** Each goes before the one before it. In portions: a call with a million arguments overflows the stack. */
function prepend(items: Bytes[], added: readonly Bytes[]): void {
  for (let from = 0; from < added.length; from += PORTION)
    items.unshift(...added.slice(from, from + PORTION).toReversed());
}

function pushIfPresent(call: Call, side: Side): Reply {
  return itemsOf(call).length === 0 ? 0 : push(call, side);
}

function pop(call: Call, side: Side): Reply {
  const { args, keyspace } = call;
  if (args.length > 2) throw wrongArity(side === 'left' ? 'lpop' : 'rpop');
  const key = argument(args, 0);
  const limit = args[1] === undefined ? undefined : positiveArgument(args[1]);
  const items = keyspace.read(key, 'list')?.items;
  if (items === undefined) return limit === undefined ? null : NULL_ARRAY;
  const count = Math.min(limit ?? 1, items.length);
  const popped = side === 'left' ? items.splice(0, count) : items.splice(items.length - count).toReversed();
  if (popped.length > 0) keyspace.changed(key);
  return limit === undefined ? (popped[0] ?? null) : popped;
}

function range(call: Call): Reply {
  const start = numberArgument(argument(call.args, 1));
  const stop = numberArgument(argument(call.args, 2));
  const items = itemsOf(call);
  const { from, to } = indexRange(start, stop, items.length);
  return items.slice(from, to);
}

function setItem({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const items = keyspace.read(key, 'list')?.items;
  if (items === undefined) throw new RedisError(messages.noSuchKey);
  const given = numberArgument(argument(args, 1));
  const index = given < 0 ? given + items.length : given;
  if (index < 0 || index >= items.length) throw new RedisError(messages.indexOutOfRange);
  items[index] = argument(args, 2);
  keyspace.changed(key);
  return OK;
}

/** A positive count removes from the left, a negative one from the right, 0 all. */
function removeItems({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const count = numberArgument(argument(args, 1));
  const sought = argument(args, 2);
  const items = keyspace.read(key, 'list')?.items ?? [];
  const places = items.flatMap((item, index) => (item === sought ? [index] : []));
  const limit = count === 0 ? places.length : Math.abs(count);
  const chosen = count < 0 ? places.slice(-limit) : places.slice(0, limit);
  for (const index of chosen.toReversed()) items.splice(index, 1);
  if (chosen.length > 0) keyspace.changed(key);
  return chosen.length;
}

function trim({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const start = numberArgument(argument(args, 1));
  const stop = numberArgument(argument(args, 2));
  const items = keyspace.read(key, 'list')?.items;
  if (items === undefined) return OK;
  const { from, to } = indexRange(start, stop, items.length);
  items.splice(to);
  items.splice(0, from);
  keyspace.changed(key);
  return OK;
}
