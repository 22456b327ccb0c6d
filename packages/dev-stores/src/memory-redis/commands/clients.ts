import type { Bytes } from '../bytes.ts';
import { printable, RedisError } from '../errors.ts';
import { OK, type Reply } from '../protocol/reply.ts';
import type { Client } from '../server/client.ts';
import { argument } from './arguments.ts';
import { clientName, libraryText } from './client-name.ts';
import { plain, type Call, type Command } from './command.ts';
import { subcommands, type Subcommand } from './subcommands.ts';

const table: ReadonlyMap<string, Subcommand> = new Map([
  ['id', { arity: 2, run: ({ client }: Call) => client.id }],
  ['setname', { arity: 3, run: setName }],
  ['getname', { arity: 2, run: ({ client }: Call) => client.name || null }],
  ['setinfo', { arity: 4, run: setInfo }],
  ['list', { arity: -2, run: list }],
  ['info', { arity: 2, run: tellOwn }],
]);

/** CLIENT: who is connected, and under what name. */
export const clientCommands: readonly Command[] = [
  plain('client', -2, subcommands('client', table), ['noscript']),
];

function setName({ args, client }: Call): Reply {
  client.name = clientName(argument(args, 1));
  return OK;
}

function setInfo({ args, client }: Call): Reply {
  const option = argument(args, 1).toLowerCase();
  if (option === 'lib-name') client.libraryName = libraryText(option, argument(args, 2));
  else if (option === 'lib-ver') client.libraryVersion = libraryText(option, argument(args, 2));
  else throw new RedisError(`ERR Unrecognized option '${printable(argument(args, 1))}'`);
  return OK;
}

function list({ args, instance, keyspace }: Call): Reply {
  if (args.length > 1) throw new RedisError('ERR syntax error');
  const lines = [...instance.clients.values()].map((client) => describe(client, keyspace.now));
  return { kind: 'verbatim', text: `${lines.join('\n')}\n` };
}

function tellOwn({ client, keyspace }: Call): Reply {
  return { kind: 'verbatim', text: `${describe(client, keyspace.now)}\n` };
}

/** The fields of Redis that mean something here, in its order. */
function describe(client: Client, now: number): Bytes {
  const fields: readonly (readonly [string, Bytes | number])[] = [
    ['id', client.id],
    ['addr', client.address.remote],
    ['laddr', client.address.local],
    ['name', client.name],
    ['age', secondsBetween(client.connectedAt, now)],
    ['idle', secondsBetween(client.lastCommandAt, now)],
    ['flags', client.subscriptionCount > 0 ? 'P' : 'N'],
    ['db', 0],
    ['sub', client.channels.size],
    ['psub', client.patterns.size],
    ['multi', client.transaction?.requests.length ?? -1],
    ['cmd', client.lastCommand],
    ['user', 'default'],
    ['resp', client.protocol],
    ['lib-name', client.libraryName],
    ['lib-ver', client.libraryVersion],
  ];
  return fields.map(([name, value]) => `${name}=${value}`).join(' ');
}

function secondsBetween(from: number, to: number): number {
  return Math.max(0, Math.floor((to - from) / 1_000));
}
