import { printable, RedisError } from '../errors.ts';
import { OK, type Reply } from '../protocol/reply.ts';
import { argument } from './arguments.ts';
import { clientName, libraryText } from './client-name.ts';
import { plain, type Call, type Command } from './command.ts';
import { subcommands, type Subcommand } from './subcommands.ts';

const table: ReadonlyMap<string, Subcommand> = new Map([
  ['setname', { arity: 3, run: setName }],
  ['setinfo', { arity: 4, run: setInfo }],
]);

/** CLIENT: what a client calls itself. */
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
