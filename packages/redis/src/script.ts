import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisConnection } from './connection.ts';
import { GatheringRedis } from './gathering-redis.ts';

/** A Lua script as a function: atomic on the server, sent by hash, sent whole where the server has not seen it. */
export type Script = (
  connection: RedisConnection,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/**
 * Reads a script whose file name ends in its number of keys: `rotate-refresh-token-1.lua`.
 *
 * @throws TypeError when the name has no key count, or a call passes another number of keys
 */
export function defineScript(file: URL): Script {
  const keyCount = keyCountOf(file, /-(\d+)\.lua$/);
  const run = readScript(file);
  return (connection, keys, args) =>
    keys.length === keyCount ? run(connection, keys, args) : rejectKeys(file, keyCount, keys);
}

/**
 * Reads a script that does the same for each of several items, and replies with a list that has one element for each. Its file name
 * ends in the number of keys of one item: `rotate-refresh-tokens-2-each.lua`. The items of one turn of the event loop are one
 * call, where the connection gathers writes: a command costs the client more than what most scripts do. In a cluster the keys of items
 * lie on several nodes, so that each item is a call there. Items of one script have the same number of arguments.
 *
 * @throws TypeError when the name has no key count, or a call passes another number of keys
 */
export function defineItemScript(file: URL): Script {
  const keyCount = keyCountOf(file, /-(\d+)-each\.lua$/);
  const run = readScript(file);
  return (connection, keys, args) => {
    if (keys.length !== keyCount) return rejectKeys(file, keyCount, keys);
    if (connection instanceof GatheringRedis) return connection.callTogether(run, keys, args);
    return run(connection, keys, args).then((list) => (list as readonly unknown[])[0]); // as said above
  };
}

function readScript(file: URL): Script {
  const source = readFileSync(file, 'utf8');
  const sha1 = createHash('sha1').update(source).digest('hex');
  return (connection, keys, args) =>
    connection.evalsha(sha1, keys.length, ...keys, ...args).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return connection.eval(source, keys.length, ...keys, ...args);
    });
}

function rejectKeys(file: URL, keyCount: number, keys: readonly string[]): Promise<never> {
  return Promise.reject(new TypeError(`${file.pathname} takes ${keyCount} keys, not ${keys.length}.`));
}

function keyCountOf(file: URL, pattern: RegExp): number {
  const count = pattern.exec(file.pathname)?.[1];
  if (count === undefined) throw new TypeError(`${file.pathname} does not name its number of keys.`);
  return Number(count);
}
