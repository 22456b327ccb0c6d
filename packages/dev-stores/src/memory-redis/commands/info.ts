import { arch, platform } from 'node:os';
import { pid, memoryUsage } from 'node:process';
import type { Bytes } from '../bytes.ts';
import type { Reply } from '../protocol/reply.ts';
import { SERVER_VERSION } from '../version.ts';
import type { Call } from './command.ts';

type Field = readonly [name: string, value: Bytes | number];

const sections: ReadonlyMap<string, (call: Call) => readonly Field[]> = new Map([
  ['Server', describeServer],
  ['Clients', describeClients],
  ['Memory', describeMemory],
  ['Persistence', () => [['loading', 0]] as const],
  ['Stats', describeStats],
  [
    'Replication',
    () =>
      [
        ['role', 'master'],
        ['connected_slaves', 0],
      ] as const,
  ],
  ['Keyspace', describeKeyspace],
]);

const EVERYTHING: ReadonlySet<Bytes> = new Set(['default', 'all', 'everything']);

/** INFO, in the sections that are asked for. */
export function info(call: Call): Reply {
  const asked = call.args.map((section) => section.toLowerCase());
  const all = asked.length === 0 || asked.some((section) => EVERYTHING.has(section));
  const texts = [...sections]
    .filter(([name]) => all || asked.includes(name.toLowerCase()))
    .map(([name, describe]) => `# ${name}\r\n${describe(call).map(line).join('')}`);
  return { kind: 'verbatim', text: texts.join('\r\n') };
}

function line([name, value]: Field): Bytes {
  return `${name}:${value}\r\n`;
}

function describeServer({ instance, keyspace }: Call): readonly Field[] {
  return [
    ['redis_version', SERVER_VERSION],
    ['redis_mode', 'standalone'],
    ['server_name', 'trellis-memory-redis'],
    ['os', platform()],
    ['arch', arch()],
    ['process_id', pid],
    ['tcp_port', instance.port],
    ['uptime_in_seconds', Math.floor((keyspace.now - instance.startedAt) / 1_000)],
  ];
}

function describeClients({ instance }: Call): readonly Field[] {
  return [
    ['connected_clients', instance.clients.size],
    ['maxclients', instance.limits.maxClients],
    ['blocked_clients', instance.blocked.count],
  ];
}

/** The memory is that of the whole process: the server has none of its own. */
function describeMemory(): readonly Field[] {
  const { heapUsed, rss } = memoryUsage();
  return [
    ['used_memory', heapUsed],
    ['used_memory_rss', rss],
    ['maxmemory', 0],
    ['maxmemory_policy', 'noeviction'],
  ];
}

function describeStats({ instance }: Call): readonly Field[] {
  const { connections, commands, rejectedConnections } = instance.totals;
  return [
    ['total_connections_received', connections],
    ['total_commands_processed', commands],
    ['rejected_connections', rejectedConnections],
  ];
}

function describeKeyspace({ keyspace }: Call): readonly Field[] {
  return keyspace.size === 0 ? [] : [['db0', `keys=${keyspace.size},expires=${keyspace.expiringSize}`]];
}
