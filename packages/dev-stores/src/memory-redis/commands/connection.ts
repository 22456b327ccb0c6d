import type { Bytes } from '../bytes.ts';
import { messages, RedisError, printable } from '../errors.ts';
import { map, OK, status, type Reply } from '../protocol/reply.ts';
import type { Client } from '../clients/client.ts';
import type { Instance } from '../instance.ts';
import { SERVER_VERSION } from '../version.ts';
import { ArgumentReader, numberArgument } from './arguments.ts';
import { clientName } from './client-name.ts';
import { plain, type Call, type Command } from './command.ts';

const NO_PASSWORD_SET =
  'ERR AUTH <password> called without any password configured for the default user. ' +
  'Are you sure your configuration is correct?';
const AUTHENTICATE_FIRST =
  'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> ' +
  'option can be used to authenticate the client and select the RESP protocol version at the same time';

/** What two ends of a connection settle between them. */
export const connectionCommands: readonly Command[] = [
  plain('auth', -2, authenticate, ['noscript', 'no_auth']),
  plain('hello', -1, hello, ['noscript', 'no_auth']),
  plain('ping', -1, ping),
];

function authenticate({ args, client, instance }: Call): Reply {
  if (args.length > 2) throw new RedisError(messages.syntax);
  const [first = '', second] = args;
  if (second === undefined && instance.password === undefined) throw new RedisError(NO_PASSWORD_SET);
  logIn(client, instance, second === undefined ? 'default' : first, second ?? first);
  return OK;
}

/** There is one user, `default`; without a password it has any. */
function logIn(client: Client, { password }: Instance, user: Bytes, candidate: Bytes): void {
  const accepted = user === 'default' && (password?.matches(candidate) ?? true);
  if (!accepted) throw new RedisError(messages.wrongPassword);
  client.authenticated = true;
}

/** HELLO with a version, AUTH and SETNAME; nothing of it takes effect when a part is wrong. */
function hello({ args, client, instance }: Call): Reply {
  const version = args[0] === undefined ? client.protocol : protocolVersion(args[0]);
  const reader = new ArgumentReader(args, 1);
  let name: Bytes | undefined;
  while (!reader.done) {
    const option = reader.next();
    const known = option.toUpperCase();
    if (known === 'AUTH' && reader.remaining >= 2) logIn(client, instance, reader.next(), reader.next());
    else if (known === 'SETNAME' && !reader.done) name = clientName(reader.next());
    else throw new RedisError(`ERR Syntax error in HELLO option '${printable(option)}'`);
  }
  if (!client.authenticated) throw new RedisError(AUTHENTICATE_FIRST);
  client.name = name ?? client.name;
  client.protocol = version;
  return introduction(client);
}

function protocolVersion(text: Bytes): 2 | 3 {
  const version = numberArgument(text, 'ERR Protocol version is not an integer or out of range');
  if (version !== 2 && version !== 3) throw new RedisError('NOPROTO unsupported protocol version');
  return version;
}

function introduction(client: Client): Reply {
  return map([
    ['server', 'redis'],
    ['version', SERVER_VERSION],
    ['proto', client.protocol],
    ['id', client.id],
    ['mode', 'standalone'],
    ['role', 'master'],
    ['modules', []],
  ]);
}

/** A subscriber that speaks RESP2 gets an array, lest it takes the response for a message. */
function ping({ args, client }: Call): Reply {
  if (args.length > 1) throw new RedisError("ERR wrong number of arguments for 'ping' command");
  if (client.protocol === 2 && client.channels.size > 0) return ['pong', args[0] ?? ''];
  return args[0] ?? status('PONG');
}
