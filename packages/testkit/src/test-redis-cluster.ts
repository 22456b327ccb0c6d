import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { freePorts } from '@trellis/dev-stores';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { endRedisServer, startRedisServer } from './redis-process.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import { until } from './until.ts';

/** A Redis Cluster of three nodes, each with a third of the slots. */
export interface TestRedisCluster {
  /** `redis+cluster://…`. */
  readonly url: string;
  /** The same as addresses of single servers, separated by commas. */
  readonly list: string;
  /** How many keys each node holds. */
  keyCounts(): Promise<readonly number[]>;
  /** Whether some node has run a script, rather than rejected it for keys of several slots. */
  hasRun(source: string): Promise<boolean>;
  stop(): Promise<void>;
}

const PASSWORD = 'test';
const SLOTS: readonly (readonly [number, number])[] = [
  [0, 5_460],
  [5_461, 10_922],
  [10_923, 16_383],
];

/** Starts three `redis-server` processes and joins them. */
export async function startTestRedisCluster(): Promise<TestRedisCluster> {
  const directory = createTemporaryDirectory();
  const free = await freePorts(2 * SLOTS.length);
  const [ports, buses] = [free.slice(0, SLOTS.length), free.slice(SLOTS.length)];
  const nodes = ports.map((port, index) => startNode(directory.path, port, buses[index] ?? 0));
  const addresses = ports.map((port) => `redis://:${PASSWORD}@127.0.0.1:${port}`);
  const connections = addresses.map((url) =>
    connectRedis({ url, name: 'cluster-test', onError: () => undefined }),
  );
  const stop = async (): Promise<void> => {
    for (const connection of connections) connection.disconnect();
    await Promise.all(nodes.map(endRedisServer));
    directory.remove();
  };
  try {
    await joinNodes(connections, [ports[0] ?? 0, buses[0] ?? 0]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `redis+cluster://:${PASSWORD}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}`,
    list: addresses.join(','),
    keyCounts: () => Promise.all(connections.map((connection) => connection.dbsize())),
    hasRun: async (source) => {
      const sha1 = createHash('sha1').update(source).digest('hex');
      const nodes = await Promise.all(connections.map((one) => one.call('SCRIPT', 'EXISTS', sha1)));
      return nodes.flat().includes(1);
    },
    stop,
  };
}

/** @param bus the port of the node's cluster bus: the default, ten thousand above its own, may be taken */
function startNode(directory: string, port: number, bus: number): ChildProcess {
  return startRedisServer(directory, `node-${port}`, [
    `port ${port}`,
    'bind 127.0.0.1',
    'save ""',
    `requirepass ${PASSWORD}`,
    `masterauth ${PASSWORD}`,
    'cluster-enabled yes',
    'cluster-announce-ip 127.0.0.1',
    `cluster-port ${bus}`,
  ]);
}

async function joinNodes(
  connections: readonly RedisConnection[],
  [port, bus]: readonly [number, number],
): Promise<void> {
  for (const connection of connections)
    await until(async () => (await connection.ping().catch(() => '')) === 'PONG');
  for (const [index, connection] of connections.entries()) {
    const [first, last] = SLOTS[index] ?? [0, 0];
    await connection.call('CLUSTER', 'ADDSLOTSRANGE', first, last);
    await connection.call('CLUSTER', 'MEET', '127.0.0.1', port, bus);
  }
  for (const connection of connections)
    await until(async () =>
      /cluster_state:ok[^]*cluster_known_nodes:3/.test(String(await connection.call('CLUSTER', 'INFO'))),
    );
}
