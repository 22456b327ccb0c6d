import { printable, messages, RedisError, wrongArity } from '../errors.ts';
import type { Bytes } from '../bytes.ts';
import { findCommand } from '../commands/command-table.ts';
import { acceptsArity, type Command, type Outcome } from '../commands/command.ts';
import { errorReply, type Reply } from '../protocol/reply.ts';
import type { Wait } from '../clients/blocked-clients.ts';
import type { Client } from '../clients/client.ts';
import type { Instance } from '../instance.ts';

const ALLOWED_TO_SUBSCRIBERS = new Set(['subscribe', 'ping']);
const MAX_PRINTED_ARGUMENT_BYTES = 128;

/** How a failure of this server itself is reported. */
export type ReportFailure = (error: unknown) => void;

/** Runs one request of a client: checks that it may, and calls the command. */
export function executeCommand(
  instance: Instance,
  client: Client,
  request: readonly Bytes[],
  reportFailure: ReportFailure,
): Outcome {
  instance.keyspace.now = Math.floor(instance.clock());
  instance.totals.commands += 1;
  const outcome = responseErrors(() => {
    const command = lookUp(request);
    checkAccess(client, command);
    return run(instance, client, command, request);
  }, reportFailure);
  instance.blocked.serve();
  return outcome;
}

/**
 * Runs one command of a script.
 *
 * @throws RedisError also for what scripts may not call
 */
export function runScripted(instance: Instance, client: Client, request: readonly Bytes[]): Reply {
  const command = findCommand(request[0] ?? '');
  if (command === undefined) throw new RedisError('ERR Unknown Redis command called from script');
  if (!acceptsArity(command, request.length))
    throw new RedisError('ERR Wrong number of args calling Redis command from script');
  if (command.flags.includes('noscript'))
    throw new RedisError('ERR This Redis command is not allowed from script');
  return withoutWaiting(run(instance, client, command, request, true));
}

function lookUp(request: readonly Bytes[]): Command {
  const [name = '', ...args] = request;
  const command = findCommand(name);
  if (command === undefined)
    throw new RedisError(
      `ERR unknown command '${printable(name)}', with args beginning with: ${printArguments(args)}`,
    );
  if (!acceptsArity(command, request.length)) throw wrongArity(command.name);
  return command;
}

/** As many of them as fit in 128 bytes. */
function printArguments(args: readonly Bytes[]): string {
  let printed = '';
  for (const argument of args) {
    if (printed.length >= MAX_PRINTED_ARGUMENT_BYTES) break;
    printed += `'${printable(argument).slice(0, MAX_PRINTED_ARGUMENT_BYTES - printed.length)}' `;
  }
  return printed;
}

function checkAccess(client: Client, command: Command): void {
  if (!client.authenticated && !command.flags.includes('no_auth')) throw new RedisError(messages.noAuth);
  const restricted = client.protocol === 2 && client.channels.size > 0;
  if (restricted && !ALLOWED_TO_SUBSCRIBERS.has(command.name))
    throw new RedisError(
      `ERR Can't execute '${command.name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
    );
}

function run(
  instance: Instance,
  client: Client,
  command: Command,
  request: readonly Bytes[],
  scripted = false,
): Outcome {
  return command.run({ args: request.slice(1), client, keyspace: instance.keyspace, instance, scripted });
}

function responseErrors(action: () => Outcome, reportFailure: ReportFailure): Outcome {
  try {
    return action();
  } catch (error) {
    if (error instanceof RedisError) return errorReply(error.message);
    reportFailure(error);
    return errorReply('ERR internal error of the in-memory server');
  }
}

function withoutWaiting(outcome: Outcome): Reply {
  return isWait(outcome) ? outcome.otherwise : outcome;
}

/** Whether a command has no reply yet. */
export function isWait(outcome: Outcome): outcome is Wait {
  return typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'wait';
}
