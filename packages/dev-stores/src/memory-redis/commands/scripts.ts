import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import { OK, type Reply } from '../protocol/reply.ts';
import { argument, numberArgument } from './arguments.ts';
import { NO_KEYS, type Call, type Command } from './command.ts';
import { subcommands, type Subcommand } from './subcommands.ts';

const table: ReadonlyMap<string, Subcommand> = new Map([
  ['load', { arity: 3, run: ({ args, instance }: Call) => instance.scripts.load(argument(args, 1)) }],
  ['exists', { arity: -3, run: tellKnown }],
  ['flush', { arity: -2, run: forget }],
]);

/** Programs that run on the server, each as one step. */
export const scriptCommands: readonly Command[] = [
  scriptCommand('eval', (call) => evaluate(call, loaded(call), false)),
  scriptCommand('evalsha', (call) => evaluate(call, known(call), false)),
  scriptCommand('eval_ro', (call) => evaluate(call, loaded(call), true)),
  scriptCommand('evalsha_ro', (call) => evaluate(call, known(call), true)),
  { name: 'script', arity: -2, flags: ['noscript'], keys: NO_KEYS, run: subcommands('script', table) },
];

function scriptCommand(name: string, run: (call: Call) => Reply): Command {
  return { name, arity: -3, flags: ['noscript'], keys: NO_KEYS, run };
}

/** Keys and arguments are checked before the script is looked at. */
function evaluate(call: Call, sha1: () => Bytes, readOnly: boolean): Reply {
  const { client, instance } = call;
  const { keys, args } = splitKeys(call.args);
  return instance.scripts.run(sha1(), { keys, args, readOnly, client });
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

function tellKnown({ args, instance }: Call): Reply {
  return args.slice(1).map((sha1) => Number(instance.scripts.has(sha1.toLowerCase())));
}

/** ASYNC or SYNC: here it makes no difference. */
function forget({ args, instance }: Call): Reply {
  const mode = args[1]?.toUpperCase();
  if (args.length > 2 || (mode !== undefined && mode !== 'ASYNC' && mode !== 'SYNC'))
    throw new RedisError('ERR SCRIPT FLUSH only support SYNC|ASYNC option');
  instance.scripts.flush();
  return OK;
}
