import { messages, RedisError } from '../errors.ts';
import { OK, type Reply } from '../protocol/reply.ts';
import { matchesGlob } from '../values/glob.ts';
import { argument } from './arguments.ts';
import { onKeys, type Call, type Command } from './command.ts';

/** What works on a key whatever it holds. */
export const keyCommands: readonly Command[] = [
  onKeys('del', -2, remove),
  onKeys('exists', -2, countExisting),
  onKeys('rename', 3, (call) => (rename(call), OK)),
  onKeys('keys', 2, listKeys),
  onKeys('dbsize', 1, ({ keyspace }) => keyspace.size),
  onKeys('flushall', -1, flush),
];

function remove({ args, keyspace }: Call): Reply {
  return args.filter((key) => keyspace.delete(key)).length;
}

function countExisting({ args, keyspace }: Call): Reply {
  return args.filter((key) => keyspace.find(key) !== undefined).length;
}

function rename({ args, keyspace }: Call): void {
  const from = argument(args, 0);
  const to = argument(args, 1);
  const entry = keyspace.find(from);
  if (entry === undefined) throw new RedisError(messages.noSuchKey);
  if (from === to) return;
  keyspace.delete(from);
  keyspace.put(to, entry.value, entry.expiresAt);
}

function listKeys({ args, keyspace }: Call): Reply {
  const pattern = argument(args, 0);
  const keys: string[] = [];
  for (const [key] of keyspace.entries()) if (matchesGlob(pattern, key)) keys.push(key);
  return keys;
}

/** ASYNC or SYNC: here it makes no difference. */
function flush({ args, keyspace }: Call): Reply {
  const [mode] = args;
  const known = mode === undefined || ['ASYNC', 'SYNC'].includes(mode.toUpperCase());
  if (!known || args.length > 1) throw new RedisError(messages.syntax);
  keyspace.clear();
  return OK;
}
