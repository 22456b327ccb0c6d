import { redisAddresses } from '@trellis/redis';
import type { RedisInstance } from './redis-instance.ts';

/** A Redis as the configuration names it, and as it describes itself; the latter is absent where it can't be read. */
export interface NamedRedis {
  /** Of a server, of Sentinels with the name of a master, or of a cluster. */
  readonly url: string;
  readonly instance: RedisInstance | undefined;
}

/**
 * What makes a Redis unfit for what clients can have stored: it is the one that sign-ins live in, it has no bound, or it takes no
 * more when it is full. ADR 0024.
 *
 * @param setting names it in the configuration
 * @param signIn where sessions, grants and revocations are; absent where the configuration names none
 * @returns sentences for the operator; none where it is fit
 */
export function cacheRedisProblems(
  setting: string,
  cache: NamedRedis,
  signIn: NamedRedis | undefined,
): readonly string[] {
  const problems: string[] = [];
  if (signIn && isSame(cache, signIn))
    problems.push(
      `${setting} names the Redis of REDIS_URL, where sign-ins live. Give it an instance of its own.`,
    );
  const { instance } = cache;
  if (!instance)
    return [...problems, `The Redis of ${setting} does not answer INFO. Allow it to its user (+info).`];
  if (!instance.isBounded) problems.push(`The Redis of ${setting} has no bound. Set maxmemory.`);
  if (!instance.isEvicting)
    problems.push(
      `The Redis of ${setting} has maxmemory-policy noeviction. Set one that evicts, such as allkeys-lru.`,
    );
  return problems;
}

/** By what they say they are, or else by their addresses: databases of one instance share its memory. */
function isSame(first: NamedRedis, second: NamedRedis): boolean {
  const runIds = new Set(first.instance?.runIds);
  if (second.instance?.runIds.some((id) => runIds.has(id))) return true;
  const addresses = new Set(redisAddresses(first.url));
  return redisAddresses(second.url).some((address) => addresses.has(address));
}
