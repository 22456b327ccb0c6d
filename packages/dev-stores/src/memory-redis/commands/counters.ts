import { messages, RedisError } from '../errors.ts';
import type { Reply } from '../protocol/reply.ts';
import { addIntegers, type Integer } from '../values/integer.ts';
import { argument, integerArgument } from './arguments.ts';
import { onKeys, type Call, type Command } from './command.ts';
import { readString, replaceString } from './strings.ts';

/** Strings that are numbers. */
export const counterCommands: readonly Command[] = [
  onKeys('incr', 2, (call) => increase(call, 1)),
  onKeys('decr', 2, (call) => increase(call, -1)),
];

function increase({ args, keyspace }: Call, amount: Integer): Reply {
  const key = argument(args, 0);
  const current = integerArgument(readString(keyspace, key) ?? '0');
  const sum = addIntegers(current, amount);
  if (sum === undefined) throw new RedisError(messages.overflow);
  replaceString(keyspace, key, String(sum));
  return sum;
}
