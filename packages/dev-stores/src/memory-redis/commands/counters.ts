import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import type { Reply } from '../protocol/reply.ts';
import { addDecimals } from '../values/decimal.ts';
import { addIntegers, negateInteger, type Integer } from '../values/integer.ts';
import { argument, integerArgument } from './arguments.ts';
import { writes, type Call, type Command } from './command.ts';
import { readString, replaceString } from './strings.ts';

/** Strings that are numbers. */
export const counterCommands: readonly Command[] = [
  writes('incr', 2, (call) => increase(call, 1)),
  writes('decr', 2, (call) => increase(call, -1)),
  writes('incrby', 3, (call) => increase(call, integerArgument(argument(call.args, 1)))),
  writes('decrby', 3, decreaseBy),
  writes('incrbyfloat', 3, increaseByFloat),
];

function increase({ args, keyspace }: Call, amount: Integer): Reply {
  const key = argument(args, 0);
  const current = integerArgument(readString(keyspace, key) ?? '0');
  const sum = addIntegers(current, amount);
  if (sum === undefined) throw new RedisError(messages.overflow);
  replaceString(keyspace, key, String(sum));
  return sum;
}

function decreaseBy(call: Call): Reply {
  const amount = negateInteger(integerArgument(argument(call.args, 1)));
  if (amount === undefined) throw new RedisError('ERR decrement would overflow');
  return increase(call, amount);
}

function increaseByFloat({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const sum = addFloats(readString(keyspace, key) ?? '0', argument(args, 1), messages.notFloat);
  replaceString(keyspace, key, sum);
  return sum;
}

/** @throws RedisError with `message` when the value stored is no number; ERR value is not a valid float for the amount */
export function addFloats(current: Bytes, amount: Bytes, message: string): Bytes {
  if (addDecimals(amount, '0') === undefined) throw new RedisError(messages.notFloat);
  const sum = addDecimals(current, amount);
  if (sum === undefined) throw new RedisError(message);
  return sum;
}
