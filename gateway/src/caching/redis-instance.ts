import type { RedisConnection } from '@trellis/redis';

/** What a Redis says of itself, all of its masters together. */
export interface RedisInstance {
  /** Each process has one of its own. */
  readonly runIds: readonly string[];
  /** Whether each of them has a bound on its memory. */
  readonly isBounded: boolean;
  /** Whether each of them makes room when it is full. */
  readonly isEvicting: boolean;
}

/**
 * Reads INFO, which managed services allow where they forbid CONFIG.
 *
 * @throws Error when it can't be read
 */
export async function describeRedis(connection: RedisConnection): Promise<RedisInstance> {
  const nodes = 'nodes' in connection ? connection.nodes('master') : [connection];
  const texts = await Promise.all(nodes.map((node) => node.info()));
  return {
    runIds: texts.map((text) => fieldOf(text, 'run_id')).filter((id) => id !== undefined),
    isBounded: texts.every((text) => Number(fieldOf(text, 'maxmemory') ?? 0) > 0),
    isEvicting: texts.every((text) => (fieldOf(text, 'maxmemory_policy') ?? 'noeviction') !== 'noeviction'),
  };
}

function fieldOf(information: string, name: string): string | undefined {
  return new RegExp(String.raw`^${name}:([^\r\n]+)`, 'm').exec(information)?.[1];
}
