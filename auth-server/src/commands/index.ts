import { createLogger, createMetrics } from '@trellis/runtime';
import { EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { didYouMean } from '@trellis/runtime/parse-flags';
import { createPool } from '@trellis/postgres';
import { connectRedis } from '@trellis/redis';
import type { AuthServerConfig } from '../app/auth-server-config.ts';
import { createFeatures } from '../app/create-features.ts';
import { explainStartFailure } from '../app/explain-start-failure.ts';
import { migrateAuthServer, SCHEMA } from '../app/start.ts';
import {
  addAccountCommand,
  disableAccountCommand,
  enableAccountCommand,
  inviteAccountCommand,
  resetAccountCommand,
  showAccountCommand,
  updateAccountCommand,
} from './accounts-commands.ts';
import { listAuditEventsCommand } from './audit-commands.ts';
import {
  addClientCommand,
  listClientsCommand,
  removeClientCommand,
  rotateClientSecretCommand,
} from './clients-commands.ts';
import { createCommandLine, UsageError, type CommandLine, type CommandStreams } from './command-line.ts';
import type { Command, CommandContext } from './command.ts';
import { linkIdentityCommand, unlinkIdentityCommand } from './identities-commands.ts';
import { revokeGrantsCommand } from './grants-commands.ts';
import { listKeysCommand, replaceKeysCommand, rotateKeysCommand } from './keys-commands.ts';

export type { CommandStreams } from './command-line.ts';

const commands: ReadonlyMap<string, Command> = new Map([
  ['accounts add', addAccountCommand],
  ['accounts invite', inviteAccountCommand],
  ['accounts reset', resetAccountCommand],
  ['accounts show', showAccountCommand],
  ['accounts update', updateAccountCommand],
  ['accounts disable', disableAccountCommand],
  ['accounts enable', enableAccountCommand],
  ['accounts link', linkIdentityCommand],
  ['accounts unlink', unlinkIdentityCommand],
  ['grants revoke', revokeGrantsCommand],
  ['keys list', listKeysCommand],
  ['keys rotate', rotateKeysCommand],
  ['keys replace', replaceKeysCommand],
  ['clients list', listClientsCommand],
  ['clients add', addClientCommand],
  ['clients rotate-secret', rotateClientSecretCommand],
  ['clients remove', removeClientCommand],
  ['audit list', listAuditEventsCommand],
]);

/** Every command: `accounts add`. */
export const commandNames: readonly string[] = [...commands.keys()];

/** What a call is answered with before any store is opened. */
export type AuthServerCall =
  | { readonly kind: 'run' }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly problem: string; readonly usage: string };

/** Reads a call: help that is asked for, a command or an option that there is not. @param args as for {@link runAuthServerCommand} */
export function readAuthServerCall(args: readonly string[]): AuthServerCall {
  const command = commands.get(args.slice(0, 2).join(' '));
  const asksForHelp = args.some((arg) => arg === '--help' || arg === '-h');
  if (asksForHelp) return { kind: 'help', text: command ? `Usage: ${command.usage} [--json]` : overview() };
  return command ? readOptionsOf(command, args.slice(2)) : readNoCommand(args);
}

function overview(): string {
  return ['Commands:', ...[...commands.values()].map(({ usage }) => `  ${usage} [--json]`)].join('\n');
}

function readNoCommand(args: readonly string[]): AuthServerCall {
  const words = args.filter((arg) => !arg.startsWith('-')).slice(0, 2);
  const [first = ''] = args;
  const problem =
    words.length === 0
      ? `There is no option "${first}".${didYouMean(first, ['--help'])}`
      : `There is no command "${words.join(' ')}".${didYouMean(words.join(' '), commandNames)}`;
  return { kind: 'wrong', problem, usage: overview() };
}

/** Every option stands in the usage of its command. */
function readOptionsOf({ usage: line }: Command, args: readonly string[]): AuthServerCall {
  const known = [...line.matchAll(/--[a-z-]+/g)].map(([flag]) => flag).concat('--json');
  const names = args.filter((arg) => /^--[a-z]/.test(arg)).map((arg) => arg.split('=', 1)[0] ?? arg);
  const unknown = names.find((flag) => !known.includes(flag));
  if (unknown === undefined) return { kind: 'run' };
  const problem = `There is no option "${unknown}".${didYouMean(unknown, known)}`;
  return { kind: 'wrong', problem, usage: `Usage: ${line} [--json]` };
}

/**
 * Runs a command of the auth-server against its database and Redis; a running server needs no notification.
 *
 * @param args what follows the program's name: `accounts add --email …`
 * @returns the exit status: 0, 1 when the command failed, 64 when it was called wrongly
 */
export async function runAuthServerCommand(
  args: readonly string[],
  config: AuthServerConfig,
  streams: CommandStreams,
): Promise<number> {
  const isJson = args.includes('--json');
  const commandLine = createCommandLine(streams, isJson);
  const call = readAuthServerCall(args);
  if (call.kind === 'help') streams.stdout.write(`${call.text}\n`);
  if (call.kind === 'wrong') commandLine.complain(`${call.problem}\n${call.usage}`);
  const command = commands.get(args.slice(0, 2).join(' '));
  if (call.kind !== 'run' || !command) return call.kind === 'help' ? 0 : EXIT_USAGE;
  const options = args.slice(2).filter((arg) => arg !== '--json');
  try {
    await withFeatures(config, commandLine, (context) => command.run(options, context));
    return 0;
  } catch (cause) {
    const error = cause instanceof UsageError ? cause : await explainStartFailure(cause, config);
    commandLine.complain(error instanceof Error ? error.message : String(error));
    if (!(error instanceof UsageError)) return 1;
    commandLine.complain(`Usage: ${command.usage}`);
    return EXIT_USAGE;
  }
}

async function withFeatures(
  config: AuthServerConfig,
  commandLine: CommandLine,
  work: (context: CommandContext) => Promise<void>,
): Promise<void> {
  await migrateAuthServer(config.DATABASE_URL);
  // Standard output is the command's result; the records of what it did go to standard error.
  const logger = createLogger({
    service: 'auth-server',
    level: config.LOG_LEVEL,
    destination: { write: (line: string) => commandLine.complain(line.trimEnd()) },
  });
  const pool = createPool({ connectionString: config.DATABASE_URL, schema: SCHEMA });
  const onError = (error: Error): void => logger.debug({ err: error }, 'Redis is unavailable');
  const redis = connectRedis({ url: config.REDIS_URL, name: 'trellis-auth-command', onError });
  const issuer = config.ISSUER ?? `http://localhost:${config.PORT}`;
  try {
    const metrics = createMetrics('auth-server');
    const created = await createFeatures(config, { pool, redis, logger, metrics, issuer, clock: Date.now });
    try {
      await work({ ...created, commandLine });
    } finally {
      await created.features.backChannelLogout.settle();
      await created.features.accountMail?.settle();
      created.features.audit.flush();
      await created.auditWriter.close();
    }
  } finally {
    redis.disconnect();
    await pool.end();
  }
}
