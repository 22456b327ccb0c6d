import type { Entry } from '../keyspace/keyspace.ts';
import type { Reply } from '../protocol/reply.ts';
import { argument } from './arguments.ts';
import { onKeys, type Call, type Command } from './command.ts';
import { expiryCondition, expiryTime, type TimeUnit } from './expiry-time.ts';

const NO_KEY = -2;
const NO_EXPIRY = -1;

/** EXPIRE and its kin, TTL and its kin, PERSIST. */
export const expiryCommands: readonly Command[] = [
  onKeys('expire', -3, (call) => expire(call, 'expire', { relative: true, milliseconds: 1_000 })),
  onKeys('pexpire', -3, (call) => expire(call, 'pexpire', { relative: true, milliseconds: 1 })),
  onKeys('expireat', -3, (call) => expire(call, 'expireat', { relative: false, milliseconds: 1_000 })),
  onKeys('ttl', 2, (call) => replyExpiry(call, (at) => Math.floor((at - call.keyspace.now + 500) / 1_000))),
  onKeys('pttl', 2, (call) => replyExpiry(call, (at) => at - call.keyspace.now)),
  onKeys('persist', 2, persist),
];

function expire({ args, keyspace }: Call, command: string, unit: TimeUnit): Reply {
  const key = argument(args, 0);
  const allows = expiryCondition(args.slice(2));
  const expiresAt = expiryTime(argument(args, 1), unit, keyspace.now, command);
  const entry = keyspace.find(key);
  if (entry === undefined || !allows(entry.expiresAt, expiresAt)) return 0;
  if (expiresAt <= keyspace.now) keyspace.delete(key);
  else keyspace.expire(key, expiresAt);
  return 1;
}

function replyExpiry({ args, keyspace }: Call, format: (expiresAt: number) => number): Reply {
  const entry: Entry | undefined = keyspace.find(argument(args, 0));
  if (entry === undefined) return NO_KEY;
  return entry.expiresAt === undefined ? NO_EXPIRY : format(entry.expiresAt);
}

function persist({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  if (keyspace.find(key)?.expiresAt === undefined) return 0;
  keyspace.expire(key, undefined);
  return 1;
}
