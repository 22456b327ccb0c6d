import type { ChildProcess } from 'node:child_process';
import { freePorts } from '@trellis/dev-stores';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { endRedisServer, startRedisServer } from './redis-process.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import { until } from './until.ts';

/** A Redis with two replicas, and three Sentinels that make one of them the master when the master is lost. */
export interface SentinelRedis {
  /** `redis+sentinel://…`. */
  readonly url: string;
  /** Makes a replica the master, which all Sentinels name then: the old master lives on, and takes writes for some seconds. */
  changePlaces(): Promise<void>;
  /** Ends the master at once, as kill -9 does. */
  killMaster(): Promise<void>;
  stop(): Promise<void>;
}

const PASSWORD = 'p@ss:word';
const MASTER = 'main';
const SERVERS = 3;
const SENTINELS = 3;

/** Starts six `redis-server` processes; the Sentinels notice a lost master after half a second. */
export async function startSentinelRedis(): Promise<SentinelRedis> {
  const directory = createTemporaryDirectory();
  const ports = await freePorts(SERVERS + SENTINELS);
  const [masterPort = 0, ...replicaPorts] = ports.slice(0, SERVERS);
  const sentinelPorts = ports.slice(SERVERS);
  const base = (port: number): string[] => [
    `port ${port}`,
    'bind 127.0.0.1',
    'save ""',
    `requirepass ${PASSWORD}`,
  ];
  const server = (port: number): string[] => [
    ...base(port),
    `masterauth ${PASSWORD}`,
    'repl-diskless-sync-delay 0',
  ];
  const start = (name: string, lines: readonly string[], ...flags: readonly string[]): ChildProcess =>
    startRedisServer(directory.path, name, lines, flags);
  const processes = [
    start('master', server(masterPort)),
    ...replicaPorts.map((port) =>
      start(`replica-${port}`, [...server(port), `replicaof 127.0.0.1 ${masterPort}`]),
    ),
  ];
  const connections = ports.map((port) =>
    connectRedis({
      url: `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
      name: 'test',
      onError: () => undefined,
    }),
  );
  const sentinels = connections.slice(SERVERS);
  /** Which of the servers the Sentinels name as the master; -1 while they do not agree: one of them sends writes to be lost. */
  const masterIndex = async (): Promise<number> => {
    const named = await Promise.all(sentinels.map(masterPortAsNamedBy));
    return new Set(named).size === 1 ? ports.indexOf(named[0] ?? Number.NaN) : -1;
  };
  const stop = async (): Promise<void> => {
    for (const connection of connections) connection.disconnect();
    await Promise.all(processes.map(endRedisServer));
    directory.remove();
  };
  try {
    await until(async () => (await onlineReplicas(connections[0])) === SERVERS - 1);
    for (const [index, port] of sentinelPorts.entries())
      processes.push(start(`sentinel-${index}`, [...base(port), ...watching(masterPort)], '--sentinel'));
    const known = /num-other-sentinels,2,/;
    for (const connection of sentinels) await until(async () => known.test(await masterAsSeenBy(connection)));
  } catch (error) {
    await stop();
    throw error;
  }
  const hosts = sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
  const password = encodeURIComponent(PASSWORD);
  return {
    url: `redis+sentinel://:${password}@${hosts}/${MASTER}?sentinelPassword=${password}`,
    changePlaces: async () => {
      const before = await masterIndex();
      await sentinels[0]?.call('SENTINEL', 'FAILOVER', MASTER);
      await until(async () => {
        const index = await masterIndex();
        return index !== before && (await onlineReplicas(connections[index])) > 0;
      });
    },
    killMaster: async () => {
      let index = -1;
      await until(async () => (index = await masterIndex()) >= 0);
      const process = processes[index];
      if (process) await endRedisServer(process);
    },
    stop,
  };
}

function watching(masterPort: number): readonly string[] {
  return [
    `sentinel monitor ${MASTER} 127.0.0.1 ${masterPort} 2`,
    `sentinel auth-pass ${MASTER} ${PASSWORD}`,
    `sentinel sentinel-pass ${PASSWORD}`,
    `sentinel down-after-milliseconds ${MASTER} 500`,
    `sentinel failover-timeout ${MASTER} 1000`,
  ];
}

async function masterPortAsNamedBy(connection: RedisConnection): Promise<number> {
  const address = await connection.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER).catch(() => undefined);
  return Number(Array.isArray(address) ? address[1] : undefined);
}

async function masterAsSeenBy(connection: RedisConnection): Promise<string> {
  return String(await connection.call('SENTINEL', 'MASTER', MASTER).catch(() => ''));
}

async function onlineReplicas(connection: RedisConnection | undefined): Promise<number> {
  const information = await connection?.info('replication').catch(() => '');
  return information?.match(/state=online/g)?.length ?? 0;
}
