import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisConnection } from './connection.ts';

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
  const source = readFileSync(file, 'utf8');
  const sha1 = createHash('sha1').update(source).digest('hex');
  const keyCount = keyCountOf(file);
  return (connection, keys, args) => {
    if (keys.length !== keyCount) {
      const problem = `${file.pathname} takes ${keyCount} keys, not ${keys.length}.`;
      return Promise.reject(new TypeError(problem));
    }
    return connection.evalsha(sha1, keyCount, ...keys, ...args).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return connection.eval(source, keyCount, ...keys, ...args);
    });
  };
}

function keyCountOf(file: URL): number {
  const count = /-(\d+)\.lua$/.exec(file.pathname)?.[1];
  if (count === undefined) throw new TypeError(`${file.pathname} does not name its number of keys.`);
  return Number(count);
}
