import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import type { Reply } from '../protocol/reply.ts';
import { argument, numberArgument } from './arguments.ts';
import { plain, type Call, type Command } from './command.ts';

/** Programs that run on the server, each as one step. */
export const scriptCommands: readonly Command[] = [
  plain('eval', -3, (call) => evaluate(call, loaded(call)), ['noscript']),
  plain('evalsha', -3, (call) => evaluate(call, known(call)), ['noscript']),
];

/** Keys and arguments are checked before the script is looked at. */
function evaluate(call: Call, sha1: () => Bytes): Reply {
  const { client, instance } = call;
  const { keys, args } = splitKeys(call.args);
  return instance.scripts.run(sha1(), { keys, args, client });
}

function loaded({ args, instance }: Call): () => Bytes {
  return () => instance.scripts.load(argument(args, 0));
}

function known({ args, instance }: Call): () => Bytes {
  return () => {
    const sha1 = argument(args, 0).toLowerCase();
    if (!instance.scripts.has(sha1)) throw new RedisError(messages.noScript);
    return sha1;
  };
}

function splitKeys(args: readonly Bytes[]): { keys: readonly Bytes[]; args: readonly Bytes[] } {
  const count = numberArgument(argument(args, 1));
  if (count > args.length - 2)
    throw new RedisError("ERR Number of keys can't be greater than number of args");
  if (count < 0) throw new RedisError("ERR Number of keys can't be negative");
  return { keys: args.slice(2, 2 + count), args: args.slice(2 + count) };
}
