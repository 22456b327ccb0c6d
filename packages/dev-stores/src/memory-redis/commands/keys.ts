import { messages, RedisError } from '../errors.ts';
import { OK, status, type Reply } from '../protocol/reply.ts';
import { matchesGlob } from '../values/glob.ts';
import { argument, ArgumentReader } from './arguments.ts';
import { ALL_KEYS, NO_KEYS, reads, TWO_KEYS, writes, type Call, type Command } from './command.ts';
import { cursorArgument, scanOptions } from './scan-options.ts';

/** What works on a key whatever it holds. */
export const keyCommands: readonly Command[] = [
  writes('del', -2, remove, ALL_KEYS),
  writes('unlink', -2, remove, ALL_KEYS),
  reads('exists', -2, countExisting, ALL_KEYS),
  reads('touch', -2, countExisting, ALL_KEYS),
  reads('type', 2, ({ args, keyspace }) => status(keyspace.find(argument(args, 0))?.value.kind ?? 'none')),
  writes('rename', 3, (call) => (rename(call), OK), TWO_KEYS),
  writes('renamenx', 3, renameToFree, TWO_KEYS),
  reads('keys', 2, listKeys, NO_KEYS),
  reads('scan', -2, scan, NO_KEYS),
  reads('dbsize', 1, ({ keyspace }) => keyspace.size, NO_KEYS),
  reads('randomkey', 1, randomKey, NO_KEYS),
  writes('flushdb', -1, flush, NO_KEYS),
  writes('flushall', -1, flush, NO_KEYS),
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

function renameToFree(call: Call): Reply {
  const { args, keyspace } = call;
  if (keyspace.find(argument(args, 0)) === undefined) throw new RedisError(messages.noSuchKey);
  if (keyspace.find(argument(args, 1)) !== undefined) return 0;
  rename(call);
  return 1;
}

function listKeys({ args, keyspace }: Call): Reply {
  const pattern = argument(args, 0);
  const keys: string[] = [];
  for (const [key] of keyspace.entries()) if (matchesGlob(pattern, key)) keys.push(key);
  return keys;
}

function scan({ args, keyspace }: Call): Reply {
  const cursor = cursorArgument(argument(args, 0));
  const { pattern, count, type } = scanOptions(new ArgumentReader(args, 1), true);
  const page = keyspace.scan(cursor, count);
  const keys = page.keys.filter((key) => {
    if (pattern !== undefined && !matchesGlob(pattern, key)) return false;
    const entry = keyspace.find(key);
    return entry !== undefined && (type === undefined || entry.value.kind === type);
  });
  return [String(page.cursor), keys];
}

function randomKey({ keyspace }: Call): Reply {
  const keys = [...keyspace.entries()].map(([key]) => key);
  return keys[Math.floor(Math.random() * keys.length)] ?? null;
}

/** ASYNC or SYNC: here it makes no difference. */
function flush({ args, keyspace }: Call): Reply {
  const [mode] = args;
  const known = mode === undefined || ['ASYNC', 'SYNC'].includes(mode.toUpperCase());
  if (!known || args.length > 1) throw new RedisError(messages.syntax);
  keyspace.clear();
  return OK;
}
