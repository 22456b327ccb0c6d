import type { Bytes } from '../bytes.ts';
import { messages, RedisError, wrongArity } from '../errors.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { map, OK, type Reply } from '../protocol/reply.ts';
import { addIntegers } from '../values/integer.ts';
import { argument, integerArgument } from './arguments.ts';
import { reads, writes, type Call, type Command } from './command.ts';
import { addFloats } from './counters.ts';
import { scanCollection } from './scan-options.ts';

/** Values that are fields with values. */
export const hashCommands: readonly Command[] = [
  writes('hset', -4, (call) => setFields(call, 'hset')),
  writes('hmset', -4, (call) => (setFields(call, 'hmset'), OK)),
  writes('hsetnx', 4, setIfFree),
  reads('hget', 3, (call) => fieldsOf(call).get(argument(call.args, 1)) ?? null),
  reads('hmget', -3, getSeveral),
  reads('hgetall', 2, (call) => map([...fieldsOf(call)])),
  reads('hkeys', 2, (call) => [...fieldsOf(call).keys()]),
  reads('hvals', 2, (call) => [...fieldsOf(call).values()]),
  reads('hlen', 2, (call) => fieldsOf(call).size),
  reads('hexists', 3, (call) => Number(fieldsOf(call).has(argument(call.args, 1)))),
  reads('hstrlen', 3, (call) => fieldsOf(call).get(argument(call.args, 1))?.length ?? 0),
  writes('hdel', -3, deleteFields),
  writes('hincrby', 4, increase),
  writes('hincrbyfloat', 4, increaseByFloat),
  reads('hscan', -3, scan),
];

const NO_FIELDS: ReadonlyMap<Bytes, Bytes> = new Map();

function fieldsOf({ args, keyspace }: Call): ReadonlyMap<Bytes, Bytes> {
  return keyspace.read(argument(args, 0), 'hash')?.fields ?? NO_FIELDS;
}

function setField(keyspace: Keyspace, key: Bytes, field: Bytes, value: Bytes): void {
  keyspace.obtain(key, 'hash').fields.set(field, value);
  keyspace.changed(key);
}

function setFields({ args, keyspace }: Call, command: string): number {
  if (args.length % 2 === 0) throw wrongArity(command);
  const key = argument(args, 0);
  const { fields } = keyspace.obtain(key, 'hash');
  const before = fields.size;
  for (let index = 1; index < args.length; index += 2)
    fields.set(argument(args, index), argument(args, index + 1));
  keyspace.changed(key);
  return fields.size - before;
}

function setIfFree(call: Call): Reply {
  const [key, field] = [argument(call.args, 0), argument(call.args, 1)];
  if (fieldsOf(call).has(field)) return 0;
  setField(call.keyspace, key, field, argument(call.args, 2));
  return 1;
}

function getSeveral(call: Call): Reply {
  const fields = fieldsOf(call);
  return call.args.slice(1).map((field) => fields.get(field) ?? null);
}

function deleteFields({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const fields = keyspace.read(key, 'hash')?.fields;
  const deleted = args.slice(1).filter((field) => fields?.delete(field)).length;
  if (deleted > 0) keyspace.changed(key);
  return deleted;
}

function increase(call: Call): Reply {
  const [key, field] = [argument(call.args, 0), argument(call.args, 1)];
  const amount = integerArgument(argument(call.args, 2));
  const current = integerArgument(fieldsOf(call).get(field) ?? '0', 'ERR hash value is not an integer');
  const sum = addIntegers(current, amount);
  if (sum === undefined) throw new RedisError(messages.overflow);
  setField(call.keyspace, key, field, String(sum));
  return sum;
}

function increaseByFloat(call: Call): Reply {
  const [key, field] = [argument(call.args, 0), argument(call.args, 1)];
  const current = fieldsOf(call).get(field) ?? '0';
  const sum = addFloats(current, argument(call.args, 2), 'ERR hash value is not a float');
  setField(call.keyspace, key, field, sum);
  return sum;
}

function scan(call: Call): Reply {
  const items = [...fieldsOf(call)].map(([field, value]) => [field, [field, value]] as const);
  return scanCollection(call.args, items);
}
