import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createTemporaryDirectory, freePorts } from '@trellis/testkit';

/** A Redis Cluster of three nodes, each with a third of the slots. */
export interface TestRedisCluster {
  /** Seed nodes, separated by commas. */
  readonly url: string;
  /** How many keys each node holds. */
  keyCounts(): Promise<readonly number[]>;
  /** Whether some node has run a script, rather than rejected it for keys of several slots. */
  hasRun(source: string): Promise<boolean>;
  stop(): Promise<void>;
}

const SLOTS: readonly (readonly [number, number])[] = [
  [0, 5_460],
  [5_461, 10_922],
  [10_923, 16_383],
];

/** Starts three `redis-server` processes and joins them. */
export async function startRedisCluster(): Promise<TestRedisCluster> {
  const directory = createTemporaryDirectory();
  const free = await freePorts(2 * SLOTS.length);
  const [ports, buses] = [free.slice(0, SLOTS.length), free.slice(SLOTS.length)];
  const nodes = ports.map((port, index) => startNode(directory.path, port, buses[index] ?? 0));
  const connections = ports.map((port) =>
    connectRedis({ url: `redis://127.0.0.1:${port}`, name: 'cluster-test', onError: () => undefined }),
  );
  const stop = async (): Promise<void> => {
    for (const connection of connections) connection.disconnect();
    await Promise.all(nodes.map(end));
    directory.remove();
  };
  try {
    await joinNodes(connections, [ports[0] ?? 0, buses[0] ?? 0]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: ports.map((port) => `redis://127.0.0.1:${port}`).join(','),
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
  const folder = join(directory, String(port));
  mkdirSync(folder);
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  return spawn('redis-server', [...options, '--cluster-enabled', 'yes', '--cluster-port', String(bus)], {
    stdio: 'ignore',
  });
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

/** @throws Error when it has not come true within a minute */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The cluster did not come up.');
}

async function end(node: ChildProcess): Promise<void> {
  if (node.exitCode !== null || node.signalCode !== null) return;
  const ended = new Promise((resolve) => node.once('exit', resolve));
  node.kill('SIGKILL');
  await ended;
}
