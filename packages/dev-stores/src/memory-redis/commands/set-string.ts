import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import { OK, type Reply } from '../protocol/reply.ts';
import { argument, ArgumentReader } from './arguments.ts';
import type { Call } from './command.ts';
import { positiveExpiryTime, timeUnits } from './expiry-time.ts';

/** What SET was asked for besides the value. */
interface SetOptions {
  readonly condition: 'NX' | 'XX' | undefined;
  readonly get: boolean;
  readonly keepExpiry: boolean;
  /** The unit's name and the amount. */
  readonly expiry: readonly [string, Bytes] | undefined;
}

/** SET with NX or XX, GET, and one of EX, PX, EXAT, PXAT, KEEPTTL. */
export function set({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const options = setOptions(new ArgumentReader(args, 2));
  const expiresAt = options.expiry && toTime(options.expiry, keyspace.now, 'set');
  const old = options.get ? (keyspace.read(key, 'string')?.bytes ?? null) : undefined;
  const present = keyspace.find(key);
  const rejected =
    options.condition !== undefined && (options.condition === 'NX') === (present !== undefined);
  if (!rejected) {
    const until = options.keepExpiry ? present?.expiresAt : expiresAt;
    if (until !== undefined && until <= keyspace.now) keyspace.delete(key);
    else keyspace.put(key, { kind: 'string', bytes: argument(args, 1) }, until);
  }
  if (old !== undefined) return old;
  return rejected ? null : OK;
}

/** GETEX: reads a value, and sets or lifts its expiry. */
export function getAndExpire({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const change = expiryChange(new ArgumentReader(args, 1), keyspace.now);
  const bytes = keyspace.read(key, 'string')?.bytes;
  if (bytes === undefined) return null;
  if (change !== undefined) {
    const { expiresAt } = change;
    if (expiresAt !== undefined && expiresAt <= keyspace.now) keyspace.delete(key);
    else keyspace.expire(key, expiresAt);
  }
  return bytes;
}

function setOptions(reader: ArgumentReader): SetOptions {
  let condition: SetOptions['condition'];
  let get = false;
  let keepExpiry = false;
  let expiry: SetOptions['expiry'];
  while (!reader.done) {
    const option = reader.option();
    if ((option === 'NX' || option === 'XX') && (condition ?? option) === option) condition = option;
    else if (option === 'GET') get = true;
    else if (option === 'KEEPTTL' && expiry === undefined) keepExpiry = true;
    else if (timeUnits.has(option) && expiry === undefined && !keepExpiry) expiry = [option, reader.next()];
    else throw new RedisError(messages.syntax);
  }
  return { condition, get, keepExpiry, expiry };
}

function expiryChange(reader: ArgumentReader, now: number): { expiresAt: number | undefined } | undefined {
  if (reader.done) return undefined;
  const option = reader.option();
  if (option === 'PERSIST' && reader.done) return { expiresAt: undefined };
  const expiry = [option, reader.next()] as const;
  if (!reader.done) throw new RedisError(messages.syntax);
  return { expiresAt: toTime(expiry, now, 'getex') };
}

function toTime([option, amount]: readonly [string, Bytes], now: number, command: string): number {
  const unit = timeUnits.get(option);
  if (unit === undefined) throw new RedisError(messages.syntax);
  return positiveExpiryTime(amount, unit, now, command);
}
